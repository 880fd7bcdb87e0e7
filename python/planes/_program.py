"""The program `planes`, as it is installed with the module."""

import sys
from typing import NoReturn

from planes._planes import program


def main() -> NoReturn:
    """Runs the command line of this process, and ends it."""
    program(["planes", *sys.argv[1:]])


if __name__ == "__main__":
    main()
