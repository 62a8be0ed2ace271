"""`python -m tearsheet` is the same as `tearsheet`."""

from tearsheet.cli import main

main()
