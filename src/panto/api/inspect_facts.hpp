#pragma once
// Inspects open inputs: what only files tell is the skeleton of a BVH, the header of an MVNX, the columns of
// a table. Internal.

#include "panto/api/inspect.hpp"

namespace panto::io {
struct BvhClip;
struct MappedHints;
struct MvnxHeader;
struct OpenSimTable;
class Input;
}  // namespace panto::io

namespace panto {

/// Returns the facts of a BVH's skeleton, of a person or not.
[[nodiscard]] SkeletonFacts skeleton_facts(const io::BvhClip& clip);
/// Returns the facts of an MVNX's header.
[[nodiscard]] MvnxFacts mvnx_facts(const io::MvnxHeader& header);
/// Returns the facts of a table.
[[nodiscard]] TableFacts table_facts(const io::OpenSimTable& table);

/// Inspects an open input as `inspect_bytes` does. @throws as that; ModelError for a map from a file with
/// joints that the input lacks.
[[nodiscard]] Inspection inspect(io::Input& input, const io::MappedHints& mapped);

}  // namespace panto
