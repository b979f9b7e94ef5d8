// The extension module panto._core: thin bindings of the C++ API. What users call is in python/panto.

#include <nanobind/stl/string.h>

#include <exception>

#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {

// An error's type in Python, or Python's own for other errors; its text may quote bytes of a file that are no
// text.
template <class E>
void bind_error(nb::module_& m, const char* name, const nb::handle& base) {
  static PyObject* type = nullptr;
  const nb::exception<E> bound(m, name, base);
  type = bound.ptr();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const E& error) {
      PyErr_SetString(type, printable(error.what()).c_str());
    }
  });
}

void bind_errors(nb::module_& m) {  // the last that was bound is asked first
  bind_error<Error>(m, "Error", PyExc_ValueError);
  const nb::object error = m.attr("Error");
  bind_error<ModelError>(m, "ModelError", error);
  bind_error<ConfigError>(m, "ConfigError", error);
  bind_error<FormatError>(m, "FormatError", error);
}

}  // namespace panto::python

NB_MODULE(_core, m) {
  using namespace panto::python;
  m.attr("version") = PANTO_VERSION;
  bind_errors(m);
  bind_own_targets(m);
  bind_models(m);
  bind_motions(m);
  bind_recordings(m);
  bind_jobs(m);
  bind_robot_motions(m);
  bind_sensors(m);
  bind_live(m);
  bind_live_sensors(m);
  bind_streams(m);
}
