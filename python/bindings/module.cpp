// The extension module panto._core: thin bindings of the C++ API. What users call is in python/panto.

#include <nanobind/stl/string.h>

#include "panto/base/error.hpp"
#include "python/bindings/values.hpp"

namespace panto::python {

void bind_errors(nb::module_& m) {
  const nb::exception<Error> error(m, "Error", PyExc_ValueError);
  const nb::exception<ModelError> model(m, "ModelError", error);
  const nb::exception<ConfigError> config(m, "ConfigError", error);
  const nb::exception<FormatError> format(m, "FormatError", error);
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
  bind_sensors(m);
  bind_live(m);
}
