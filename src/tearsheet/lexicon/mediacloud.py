"""What Media Cloud leaves out of an address before it makes an id of it. Kept as it is there, odd or not: the ids depend on it."""

from __future__ import annotations

MEDIACLOUD_SUBDOMAINS = frozenset(
    """
    m beta media data image www cdn topic article news archive blog video search preview login shop sport sports act donate press
    web photo photos
    """.split()
)
"""First labels of a host that are removed, alone or with one more character."""

MEDIACLOUD_PARAMETERS: dict[str, frozenset[str]] = {
    "": frozenset(
        """
        fb_action_ids fb_action_types fb_source fb_ref action_object_map action_type_map action_ref_map fsrc_fb_noscript yclid
        cid s_cid sid ncid ir ref oref eref ns_mchannel ns_campaign wprss custom_click source skipmobile skip_mobile
        altcast_code
        """.split()
    )
    | {""},
    "facebook.com": frozenset({"fref", "hc_location"}),
    "nytimes.com": frozenset("emc partner hp inline smid bicmp bicmlukp bicmst bicmet abt abg".split()),
    "livejournal.com": frozenset({"thread", "nojs"}),
    "google.": frozenset({"gws_rd", "ei"}),
}
"""Parameters that are removed, by a part of the host; those of the empty part everywhere."""
