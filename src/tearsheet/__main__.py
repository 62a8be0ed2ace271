"""`python -m tearsheet` is the same as `tearsheet`."""

from tearsheet.start import main

main()
