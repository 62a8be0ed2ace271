"""`tearsheet`, and `python -m tearsheet`, which is the same."""

from tearsheet.start import load


def main() -> None:
    """Load the program, and run the command."""
    load()
    from tearsheet.cli import main as run_command  # slow to import

    run_command()


if __name__ == "__main__":
    main()
