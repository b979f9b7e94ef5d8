#pragma once
// The push parser of MvnxFile: turns expat's events into header and frames. Private to mvnx*.cpp.

#include <expat.h>

#include "panto/io/mvnx.hpp"

namespace panto::io {

/// Splits at blanks and reads every word as a number with a decimal point; other words and numbers that are
/// not finite become NaN. Returns the count of NaNs.
int parse_mvnx_numbers(std::string_view text, std::vector<double>& numbers);

class MvnxFile::Parser {
 public:
  Parser(std::unique_ptr<std::istream> stream, std::string name, MvnxVectors wanted,
         const MvnxLimits& limits);

  /// Reads to the end of the next normal frame. @throws std::bad_alloc
  ReadStatus advance();
  /// Reads the header and the first frame. @throws FormatError
  void open();

  MvnxHeader header;
  std::map<std::string, MvnxFrame, std::less<>> specials;
  MvnxFrame frame;  // the one being read
  MvnxFrame first;
  bool first_pending = false;  // `first` was not yet returned
  std::string name, problem;
  std::vector<std::string> notes;
  std::int64_t refused_vectors = 0, refused_numbers = 0, frames = 0;

 private:
  enum class Place : unsigned char {
    Elsewhere,
    Mvnx,
    Subject,
    Segments,
    Segment,
    Points,
    Point,
    PointPosition,
    Sensors,
    Joints,
    Joint,
    Connector1,
    Connector2,
    ErgonomicJoints,
    Contacts,
    Frames,
    Frame,
    Vector,
    Marker,
  };
  struct Attributes;

  static void XMLCALL on_start(void* self, const XML_Char* tag, const XML_Char** attributes) noexcept;
  static void XMLCALL on_end(void* self, const XML_Char* tag) noexcept;
  static void XMLCALL on_text(void* self, const XML_Char* text, int length) noexcept;
  static void XMLCALL on_other(void* self, const XML_Char* text, int length) noexcept;
  static void XMLCALL on_entity(void* self, const XML_Char* entity, int, const XML_Char*, int,
                                const XML_Char*, const XML_Char*, const XML_Char*, const XML_Char*) noexcept;
  static void XMLCALL on_skipped_entity(void* self, const XML_Char* entity, int) noexcept;
  template <typename Work>
  void guarded(Work work) noexcept;

  void start(std::string_view tag, const Attributes& attributes);
  Place enter(Place parent, std::string_view tag, const Attributes& attributes);
  Place enter_subject_part(std::string_view tag, const Attributes& attributes);
  Place enter_frame_part(std::string_view tag);
  void start_subject(const Attributes& attributes);
  void add_segment(const Attributes& attributes);
  void start_frame(const Attributes& attributes);
  void end(Place place);
  void end_point();
  void end_connector(std::string& segment, std::string& point);
  void end_vector();
  void end_frame();

  bool feed();
  void fail(const std::string& message);
  void describe_xml_error();
  void note_once(bool& said, const std::string& message);
  [[nodiscard]] std::string at_line(std::int64_t line) const;
  [[nodiscard]] std::int64_t line() const;
  [[nodiscard]] std::size_t expected(MvnxVector vector) const;

  struct Free {
    void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
  };
  std::unique_ptr<std::istream> stream_;
  std::unique_ptr<XML_ParserStruct, Free> xml_;
  MvnxVectors wanted_;
  MvnxLimits limits_;
  std::vector<Place> places_;  // places of the open elements
  std::string text_;           // of the element being read
  bool collecting_ = false;
  MvnxVector vector_ = MvnxVector::Orientation;
  bool frame_ready_ = false, frames_ended_ = false, done_ = false, subject_seen_ = false;
  bool noted_count_ = false, noted_number_ = false, noted_point_ = false, noted_type_ = false;
  std::int64_t fed_ = 0, last_event_ = 0;  // bytes
};

}  // namespace panto::io
