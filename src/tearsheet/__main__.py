"""`tearsheet`, and `python -m tearsheet`, which is the same."""

from tearsheet.start import end, load


def main() -> None:
    """Load the program, and run the command."""
    load()
    from tearsheet.cli import main as run_command  # slow to import

    try:
        run_command()
    finally:
        end()


if __name__ == "__main__":
    main()
