"""Who is let in, and who makes room: never more than allowed, silence goes first, and answers are never cut off."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.web.gate import Gate, Guest, Phase


class Door:
    """A gate whose guests say when they are sent away."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self.gate = Gate(most, most_of_one)
        self.gone: list[str] = []

    def enter(self, name: str, address: str = ""):
        return self.gate.enter(address, lambda: self.gone.append(name))


def test_the_one_that_waits_longest_makes_room():
    door = Door(3, 3)
    first, _, third = (door.enter(name) for name in "abc")
    door.gate.move(first, Phase.ANSWER)
    door.gate.move(third, Phase.BODY)
    door.enter("d")
    assert door.gone == ["b"]
    door.gate.move(first, Phase.HEAD)  # its answer is sent: it waits again, for a shorter time than d
    door.enter("e")
    assert door.gone == ["b", "d"]


def test_a_body_makes_room_after_all_heads_and_an_answer_never():
    door = Door(2, 2)
    first, second = door.enter("a"), door.enter("b")
    door.gate.move(first, Phase.BODY)
    door.gate.move(second, Phase.ANSWER)
    third = door.enter("c")
    assert door.gone == ["a"]
    door.gate.move(third, Phase.ANSWER)
    assert door.enter("d") is None
    door.gate.leave(second)
    assert door.enter("e") is not None
    assert door.gone == ["a"]


def test_one_address_takes_the_room_of_its_own_only():
    door = Door(100, 3)
    door.enter("other", "192.0.2.7")
    for number in range(10):
        door.enter(str(number), f"2001:db8::{number:x}")  # one network: one customer
    assert door.gone == [str(number) for number in range(7)]
    assert len(door.gate) == 4
    for number in range(10):
        door.enter(f"local {number}")
    assert len(door.gate) == 14


STEPS = st.lists(st.tuples(st.sampled_from(["enter", "leave", *Phase]), st.integers(0, 20)), max_size=80)


@given(STEPS, st.integers(1, 6), st.integers(1, 4))
def test_there_are_never_more_than_allowed_and_none_is_counted_twice(steps, most, most_of_one):
    gate = Gate(most, most_of_one)
    inside: list[Guest] = []
    for step, number in steps:
        if step == "enter":
            address = ("", "192.0.2.1", "192.0.2.2")[number % 3]
            guest = gate.enter(address, lambda: None)
            if guest is not None:
                guest.close = partial(inside.remove, guest)
                inside.append(guest)
        elif inside:
            guest = inside[number % len(inside)]
            if step == "leave":
                gate.leave(guest)
                gate.leave(guest)
                inside.remove(guest)
            else:
                gate.move(guest, step)
        assert len(gate) == len(inside) <= most
        for address in ("192.0.2.1", "192.0.2.2"):
            assert sum(guest.whose == address for guest in inside) <= most_of_one
