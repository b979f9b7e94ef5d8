#pragma once
// Which content of a recording a file gets, by its extension. (not installed)

#include <optional>
#include <string>

namespace panto {

/// The kinds of content that a file can hold.
enum class Content : unsigned char { Skeleton, Angles, Keypoints, Orientations };

/// Returns the content to write to `output`: as asked, or the first that its format and the recording `input`
/// have in common. @throws ConfigError for an unknown extension, a content that it cannot hold and a shipped
/// model, FormatError for one without a person.
[[nodiscard]] Content content_of(const std::string& output, std::optional<Content> as,
                                 const std::string& input, bool trackable);

/// Returns whether `input` is a model and not a motion: a shipped name or a model file.
[[nodiscard]] bool names_model(const std::string& input);

}  // namespace panto
