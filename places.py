"""Where compiled files say that their lines are: Cython names sources from the package's place on, and no more.

So tracebacks, debuggers and notebooks would not find them. A frame of a compiled module gets the whole path here, which
follows from where the module itself lies.
"""

from pathlib import Path

MAKER = "static PyCodeObject* __Pyx_CreateCodeObjectForTraceback(\n"
CALL = "PyCode_NewEmpty(filename, funcname, py_line)"
PLACED = "rushlight_frame(filename, funcname, py_line)"
FRAME = """\
/* The code of a frame, its file named by where this module lies; as it was named where that is not known. */
static PyCodeObject* rushlight_frame(const char *file, const char *function, int line) {
  PyObject *own = NULL, *package = NULL, *place = NULL, *bytes = NULL;
  PyCodeObject *code = NULL;
  Py_ssize_t start;
  if (strncmp(file, "rushlight/", 10)) return PyCode_NewEmpty(file, function, line);
  if ((own = PyModule_GetFilenameObject(__pyx_m)) && (package = PyUnicode_FromString("rushlight"))
      && (start = PyUnicode_Find(own, package, 0, PyUnicode_GET_LENGTH(own), -1)) >= 0) {
    Py_SETREF(own, PyUnicode_Substring(own, 0, start));
    if (own && (place = PyUnicode_FromFormat("%U%s", own, file)) && (bytes = PyUnicode_EncodeFSDefault(place)))
      code = PyCode_NewEmpty(PyBytes_AS_STRING(bytes), function, line);
  }
  Py_XDECREF(own); Py_XDECREF(package); Py_XDECREF(place); Py_XDECREF(bytes);
  if (!code) { PyErr_Clear(); code = PyCode_NewEmpty(file, function, line); }
  return code;
}
"""


def write_places(path: str) -> None:
    """Does it in a C file of Cython's, once."""
    text = Path(path).read_text("utf-8")
    if CALL in text:
        Path(path).write_text(text.replace(MAKER, FRAME + MAKER).replace(CALL, PLACED), "utf-8")
