#pragma once
// What only files tell: the skeleton of a BVH, the header of an MVNX, the columns of a table.

#include "panto/api/inspect.hpp"

namespace panto::io {
struct BvhClip;
struct MvnxHeader;
struct OpenSimTable;
}  // namespace panto::io

namespace panto {

/// Returns the facts of a BVH's skeleton, of a person or not.
[[nodiscard]] SkeletonFacts skeleton_facts(const io::BvhClip& clip);
/// Returns the facts of an MVNX's header.
[[nodiscard]] MvnxFacts mvnx_facts(const io::MvnxHeader& header);
/// Returns the facts of a table.
[[nodiscard]] TableFacts table_facts(const io::OpenSimTable& table);

}  // namespace panto
