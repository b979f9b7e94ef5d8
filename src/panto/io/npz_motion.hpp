#pragma once
// Reads motions from the NumPy archives that `create_npz_states` writes.

#include <string>
#include <string_view>
#include <vector>

#include "panto/io/npz_archive.hpp"
#include "panto/motion/motion.hpp"

namespace panto::io {

/// Returns the names of the joints in an archive of States; empty: it holds something else.
/// @throws FormatError for damaged names.
[[nodiscard]] std::vector<std::string> joints_of_states(const NpzArchive& archive);

/// Returns the contacts of a motion of `frames` frames; empty: the archive has none. Messages call it `name`.
/// @throws FormatError for arrays of another shape or type, and damaged anchors.
[[nodiscard]] std::vector<LinkContacts> npz_contacts(const NpzArchive& archive, const std::string& name,
                                                     std::size_t frames);

/// Reads a motion of `model` with its contacts (docs/formats/npz.md, States). Files without velocities have
/// zeros, those without contacts have none. Messages call it `name`. @throws FormatError for other joints, a
/// missing array, an array of another shape or type, values that are not finite, quaternions off unit length
/// by over 1e-3, stamps that do not increase.
[[nodiscard]] Motion read_npz_motion(std::string_view bytes, const std::string& name, const Model& model);

}  // namespace panto::io
