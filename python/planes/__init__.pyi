from planes._accumulator import Accumulator as Accumulator, Peak as Peak
from planes._detect import detect as detect
from planes._errors import (
    DegenerateError as DegenerateError,
    DeviceError as DeviceError,
    Error as Error,
    FormatError as FormatError,
    OutOfMemoryError as OutOfMemoryError,
    ParameterError as ParameterError,
)
from planes._eval import eval as eval
from planes._found import Found as Found
from planes._lines import Line as Line, Lines as Lines, Segment as Segment, lines as lines
from planes._plane import Piece as Piece, Plane as Plane, Polygon as Polygon
from planes._planes import __version__ as __version__
from planes._synth import Cloud as Cloud, LineImage as LineImage, synth as synth

__all__: list[str]
