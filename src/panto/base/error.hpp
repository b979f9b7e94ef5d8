#pragma once
// Set-up errors. Loading, options, construction and calibration throw one of these; loops return a status
// instead (see status.hpp).

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Base of all exceptions that Panto throws during set-up. The text names the item, its value and a valid
/// value.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A kinematic model, or a name looked up in one, cannot be used.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// A method cannot follow this model, but another method could.
class MethodError : public ModelError {
 public:
  using ModelError::ModelError;
};

/// An option, a mapping or a combination of them is out of range.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// A file or message does not hold what its format promises. The text begins with the location: `name:line:`
/// or `name: byte N:`.
class FormatError : public Error {
 public:
  using Error::Error;
};

/// Returns "no link 'LeftHnd' in model 'human66'; did you mean 'LeftHand'? (23 links: Pelvis, L5, ...)". The
/// text lists the first `shown` valid names and suggests the nearest by edit distance.
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name, std::string_view owner,
                                       const std::vector<std::string>& valid, std::size_t shown = 40);

}  // namespace panto
