"""What can go wrong. A file that the system refuses is an `OSError`, such as `FileNotFoundError`."""


class Error(ValueError):
    """Anything that `planes` refuses: the base of what follows.

    >>> import planes
    >>> try:
    ...     planes.detect([[0, 0, 0], [1, 0, 0]], tolerance=-1)
    ... except planes.Error as error:
    ...     print(error)
    `tolerance` must be a positive length in the cloud's unit
    """


class ParameterError(Error):
    """An argument, or a combination of arguments, that makes no sense."""


class FormatError(Error):
    """A file that is damaged, or of a kind that is not read; the message names the place."""


class DegenerateError(Error):
    """A cloud that holds too little: no points, or none that is finite."""


class DeviceError(Error):
    """A GPU that is asked for and is not there, or does not do what it should."""


class OutOfMemoryError(Error, MemoryError):
    """More memory is needed than there is; it is said before it is taken."""
