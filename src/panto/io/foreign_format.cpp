#include "panto/io/foreign_format.hpp"

#include <algorithm>
#include <array>

#include "panto/io/body_model.hpp"
#include "panto/io/gltf.hpp"
#include "panto/io/mcap.hpp"
#include "panto/io/npy_array.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

unsigned byte_at(std::string_view head, std::size_t at) { return static_cast<unsigned char>(head[at]); }

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

bool is_fbx(std::string_view head) {
  return head.starts_with("Kaydara FBX Binary") || without_blanks(head).starts_with("; FBX ");
}

// byte 1 is 0x50; byte 0 gives the block of 512 bytes where the parameters begin; their byte 3 names the
// processor
bool is_c3d(std::string_view head) {
  if (head.size() < 2 || byte_at(head, 1) != 0x50U || byte_at(head, 0) < 2) return false;
  const std::size_t processor = (byte_at(head, 0) - 1U) * 512U + 3U;
  return processor < head.size() && byte_at(head, processor) >= 84U && byte_at(head, processor) <= 86U;
}

// the name of the first member of a zip; empty: no zip
std::string_view first_member(std::string_view head) {
  constexpr std::size_t header = 30;
  if (!head.starts_with("PK\x03\x04") || head.size() < header) return {};
  return head.substr(header, byte_at(head, 26) + 256U * byte_at(head, 27));
}

// a package (.usdz) is a zip whose first member is a scene
bool is_usd(std::string_view head) {
  if (head.starts_with("PXR-USDC") || head.starts_with("#usda")) return true;
  const std::string_view name = first_member(head);
  return name.ends_with(".usd") || name.ends_with(".usda") || name.ends_with(".usdc");
}

// torch.save writes a zip whose first member is the pickle
bool is_torch(std::string_view head) { return first_member(head).ends_with("/data.pkl"); }

// protocols 2 to 5; joblib files without compression begin so too
bool is_pickle(std::string_view head) {
  return head.size() > 2 && byte_at(head, 0) == 0x80U && byte_at(head, 1) >= 2 && byte_at(head, 1) <= 5;
}

// other arrays than points (frames, points, 3 or 4; of an image, 2: their reader says so) and poses of bodies
bool is_npy(std::string_view head) {
  const std::vector<std::size_t> shape = npy_shape(head);
  const bool points = shape.size() == 3 && shape[2] >= 2 && shape[2] <= 4;
  return head.starts_with(kNpyMagic) && !points && !is_body_array(shape);
}

bool is_osim(std::string_view head) { return head.find("<OpenSimDocument") != std::string_view::npos; }

// begins with these letters, in either case, after blanks
bool begins_with(std::string_view head, std::string_view word) {
  return equal_ignoring_case(without_blanks(head).substr(0, word.size()), word);
}

bool is_html(std::string_view head) {
  return begins_with(head, "<!doctype html") || begins_with(head, "<html");
}

// viewer/index.html names its maker
bool is_page(std::string_view head) {
  return is_html(head) && head.find("name=\"generator\" content=\"Panto\"") != std::string_view::npos;
}

bool is_pdf(std::string_view head) { return head.starts_with("%PDF-"); }

bool is_image(std::string_view head) {
  return head.starts_with("\x89PNG") || head.starts_with("\xff\xd8\xff") || head.starts_with("GIF8") ||
         (head.starts_with("RIFF") && head.substr(std::min<std::size_t>(8, head.size())).starts_with("WEBP"));
}

// MP4 and QuickTime, WebM and Matroska, AVI
bool is_video(std::string_view head) {
  return head.substr(std::min<std::size_t>(4, head.size())).starts_with("ftyp") ||
         head.starts_with("\x1a\x45\xdf\xa3") ||
         (head.starts_with("RIFF") && head.substr(std::min<std::size_t>(8, head.size())).starts_with("AVI "));
}

// .xlsx, .docx
bool is_office(std::string_view head) { return first_member(head) == "[Content_Types].xml"; }

// gzip, 7z, xz
bool is_packed(std::string_view head) {
  return head.starts_with("\x1f\x8b") || head.starts_with("7z\xbc\xaf") ||
         head.starts_with(
             "\xfd"
             "7zXZ");
}

struct Signature {
  bool (*matches)(std::string_view head);
  std::string_view advice;
};

constexpr std::array<Signature, 16> kSignatures{{
    {is_fbx,
     "is an FBX file, which Panto does not read; export it as BVH (Blender: import the FBX, then File > "
     "Export "
     "> Motion Capture)"},
    {is_c3d,
     "is a C3D file, which the Python package reads (pip install 'panto[c3d]', then panto.open); or save its "
     "markers as .trc (Mokka and OpenSim can)"},
    {is_gltf,
     "is a glTF file (.glb, .gltf, .vrm): a person's motion or a character, no robot; give a robot as the "
     "URDF or MJCF "
     "that it was made from"},
    {is_usd,
     "is a USD file, which Panto does not read; give a robot as the URDF or MJCF that it was made from, and "
     "export a "
     "motion as BVH"},
    {is_torch,
     "is a PyTorch file (.pt), which the Python package reads where torch is installed (panto.open); or load "
     "it with torch.load(weights_only=True) and save its arrays with numpy.savez (of GVHMR: those of "
     "smpl_params_global, not of smpl_params_incam)"},
    {is_pickle,
     "is a Python pickle (.pkl), which can run code; Panto's Python package reads its arrays and runs "
     "nothing: "
     "`python -m panto` in place of `panto`, or panto.open"},
    {is_npy,
     "is one NumPy array (.npy), which does not say what its columns are; save named arrays with "
     "numpy.savez (poses, trans, fps)"},
    {is_osim,
     "is an OpenSim model, which Panto writes but does not read; give the URDF, MJCF or table that it was "
     "made from"},
    {is_mcap, "is an MCAP file; `panto live` reads those that it recorded"},
    {is_page,
     "is a report page of Panto, made for the browser: open it there or with `panto view`; here give the "
     "motion "
     "or the recording that it shows"},
    {is_html, "is a web page (HTML), not data; download the file that it offers and give that"},
    {is_pdf, "is a PDF document, not data; give a motion, a recording or a robot model"},
    {is_image, "is an image; Panto reads motion and robot models, not pixels"},
    {is_video,
     "is a video, and Panto reads no pixels; run a pose estimator on it (such as MediaPipe or GVHMR) and "
     "give "
     "what that writes"},
    {is_office, "is an Office file (.xlsx or .docx); save its table as .csv"},
    {is_packed, "is compressed (.gz, .7z or .xz); unpack it and give the file inside"},
}};

}  // namespace

std::string_view foreign_format(std::string_view head) {
  for (const Signature& known : kSignatures) {
    if (known.matches(head)) return known.advice;
  }
  return {};
}

}  // namespace panto::io
