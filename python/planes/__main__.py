"""`python -m planes` is the program."""

from planes._program import main

main()
