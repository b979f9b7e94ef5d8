#include "panto/io/mvnx.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "panto/base/failure.hpp"
#include "panto/io/mvnx_parser.hpp"

namespace panto::io {

std::unique_ptr<std::istream> open_mvnx_stream(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  // some systems open a folder, but cannot read from it
  if (!*file || (file->peek() == std::char_traits<char>::eof() && file->bad()))
    throw Error(path + ": cannot be opened for reading");
  file->clear();
  return file;
}

const MvnxPoint* MvnxSegment::find_point(std::string_view point_label) const noexcept {
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const MvnxPoint& p) { return p.label == point_label; });
  return found == points.end() || !found->p_S.allFinite() ? nullptr : &*found;
}

const MvnxSegment* MvnxHeader::find_segment(std::string_view label) const noexcept {
  const auto found =
      std::find_if(segments.begin(), segments.end(), [&](const MvnxSegment& s) { return s.label == label; });
  return found == segments.end() ? nullptr : &*found;
}

MvnxFile::MvnxFile(const std::string& path, MvnxVectors wanted, const MvnxLimits& limits)
    : MvnxFile(open_mvnx_stream(path), path, wanted, limits) {}

MvnxFile::MvnxFile(std::unique_ptr<std::istream> stream, std::string name, MvnxVectors wanted,
                   const MvnxLimits& limits)
    : parser_(std::make_unique<Parser>(std::move(stream), std::move(name), wanted, limits)) {
  parser_->open();
}

MvnxFile::~MvnxFile() = default;
MvnxFile::MvnxFile(MvnxFile&&) noexcept = default;
MvnxFile& MvnxFile::operator=(MvnxFile&&) noexcept = default;

const MvnxHeader& MvnxFile::header() const noexcept { return parser_->header; }
const MvnxFrame& MvnxFile::first() const noexcept { return parser_->first; }
const std::string& MvnxFile::problem() const noexcept { return parser_->problem; }
const std::vector<std::string>& MvnxFile::notes() const noexcept { return parser_->notes; }
std::int64_t MvnxFile::refused_vectors() const noexcept { return parser_->refused_vectors; }
std::int64_t MvnxFile::refused_numbers() const noexcept { return parser_->refused_numbers; }
const std::string& MvnxFile::name() const noexcept { return parser_->name; }

const MvnxFrame* MvnxFile::special(std::string_view type) const noexcept {
  const auto found = parser_->specials.find(type);
  return found == parser_->specials.end() ? nullptr : &found->second;
}

ReadStatus MvnxFile::read(MvnxFrame& frame) noexcept {
  try {
    if (std::exchange(parser_->first_pending, false)) {
      frame = parser_->first;
      return ReadStatus::Sample;
    }
    const ReadStatus status = parser_->advance();
    // the next call fills the caller's buffers
    if (status == ReadStatus::Sample) std::swap(frame, parser_->frame);
    return status;
  } catch (...) {
    explain_failure(parser_->name, parser_->problem);
    return ReadStatus::Malformed;
  }
}

}  // namespace panto::io
