"""Settings: flags, then `TEARSHEET_*`, then `config.toml` in the data folder, then defaults.

Every setting is declared once, in `sections`, with its default and what it means; the reference page, `tearsheet config show`
and the error messages are made from these declarations. A value, say a secret, may be kept in a separate file:
`TEARSHEET_X_FILE`. A setting that is declared as a secret is hidden wherever it could be seen (see `masking`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
