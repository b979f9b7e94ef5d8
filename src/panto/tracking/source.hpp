#pragma once
// Where samples come from. The interface needs nothing of a pipeline and lives with the samples, so that
// modules below the pipeline can be sources too.

#include "panto/sample/source.hpp"  // IWYU pragma: export
