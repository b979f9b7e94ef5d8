// Feeds bytes to the MVNX parser, returns one normal frame at a time, and reports why it ended.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "panto/io/mvnx_parser.hpp"

namespace panto::io {
namespace {

constexpr int kChunk = 64 * 1024;

}  // namespace

ReadStatus MvnxFile::Parser::advance() {
  frame_ready_ = false;
  while (!done_) {
    if (!feed()) break;
    if (frame_ready_) {
      ++frames;
      return ReadStatus::Sample;
    }
  }
  return problem.empty() ? ReadStatus::EndOfMotion : ReadStatus::Malformed;
}

bool MvnxFile::Parser::feed() {
  XML_ParsingStatus status;
  XML_GetParsingStatus(xml_.get(), &status);
  XML_Status outcome = XML_STATUS_ERROR;
  if (status.parsing == XML_SUSPENDED) {
    outcome = XML_ResumeParser(xml_.get());
  } else {
    void* const buffer = XML_GetBuffer(xml_.get(), kChunk);
    if (buffer == nullptr) throw std::bad_alloc();
    stream_->read(static_cast<char*>(buffer), kChunk);
    const auto bytes = static_cast<int>(stream_->gcount());
    if (stream_->bad()) {
      fail("reading the file failed here");
      return false;
    }
    fed_ += bytes;
    outcome = XML_ParseBuffer(xml_.get(), bytes, bytes < kChunk);
  }

  if (outcome == XML_STATUS_ERROR) {
    if (problem.empty() && !done_) describe_xml_error();
    done_ = true;
    return false;
  }
  XML_GetParsingStatus(xml_.get(), &status);
  if (status.parsing == XML_FINISHED) done_ = true;
  if (outcome == XML_STATUS_OK && fed_ - last_event_ > static_cast<std::int64_t>(limits_.token_bytes)) {
    fail(fmt::format("a tag or comment is longer than {} bytes", limits_.token_bytes));
    return false;
  }
  return true;
}

void MvnxFile::Parser::describe_xml_error() {
  const XML_Error error = XML_GetErrorCode(xml_.get());
  const bool cut = error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
                   error == XML_ERROR_PARTIAL_CHAR || error == XML_ERROR_UNCLOSED_CDATA_SECTION;
  std::string message =
      cut ? fmt::format("the file ends before </mvnx>; it is truncated") : XML_ErrorString(error);
  if (error == XML_ERROR_INVALID_TOKEN) message += "; a byte here is not XML in the declared encoding";
  if (frames_ended_) {
    notes.push_back(fmt::format("{}: {}; no frame is affected", at_line(line()), message));
    return;
  }
  if (places_.empty() && !cut) message += "; this is not XML";
  if (frames > 0) message += fmt::format("; {} complete frames come before it", frames);
  problem = fmt::format("{}: {}", at_line(line()), message);
  notes.push_back(problem);
}

void MvnxFile::Parser::fail(const std::string& message) {
  if (problem.empty()) {
    problem = fmt::format("{}: {}", at_line(line()), message);
    notes.push_back(problem);
  }
  done_ = true;
  XML_StopParser(xml_.get(), XML_FALSE);
}

void MvnxFile::Parser::note_once(bool& said, const std::string& message) {
  if (!std::exchange(said, true)) notes.push_back(message);
}

std::int64_t MvnxFile::Parser::line() const {
  return static_cast<std::int64_t>(XML_GetCurrentLineNumber(xml_.get()));
}

std::string MvnxFile::Parser::at_line(std::int64_t line_number) const {
  return fmt::format("{}:{}", name, line_number);
}

void MvnxFile::Parser::open() {
  const ReadStatus status = advance();
  if (status == ReadStatus::Malformed) throw FormatError(problem);
  if (status != ReadStatus::Sample) {
    throw FormatError(fmt::format("{}: no <frame type=\"normal\">; the recording is empty", at_line(line())));
  }
  const auto& orientation = frame[MvnxVector::Orientation];
  const bool readable =
      std::any_of(orientation.begin(), orientation.end(), [](double value) { return !std::isnan(value); });
  if (!readable) {
    std::string message = fmt::format(
        "{}: the first normal frame has no usable <orientation> of {} numbers (w x y z "
        "for each of {} segments, with decimal points)",
        at_line(frame.line), 4 * header.segments.size(), header.segments.size());
    if (!notes.empty()) message += "; " + notes.back();
    throw FormatError(message);
  }
  bool usable = false;
  for (std::size_t i = 0; i + 4 <= orientation.size(); i += 4) {
    const double norm = Eigen::Vector4d(&orientation[i]).norm();
    usable = usable || std::abs(norm - 1.0) <= kMvnxQuaternionTolerance;
  }
  if (!usable) {
    throw FormatError(
        fmt::format("{}: the first normal frame has no usable orientation: none of its {} quaternions has "
                    "the norm 1 (within {}); each segment needs w x y z of a unit quaternion",
                    at_line(frame.line), orientation.size() / 4, kMvnxQuaternionTolerance));
  }
  first = frame;
  first_pending = true;
}

}  // namespace panto::io
