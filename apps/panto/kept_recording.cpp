#include "apps/panto/kept_recording.hpp"

#include <utility>

namespace panto::app {

// What was kept, sample by sample.
class KeptRecording::Replayed final : public io::MotionFile {
 public:
  explicit Replayed(std::shared_ptr<const KeptRecording> kept) : kept_(std::move(kept)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return kept_->names_; }
  [[nodiscard]] const io::MotionFileInfo& info() const noexcept override { return kept_->info_; }
  [[nodiscard]] const std::string& problem() const noexcept override {
    static const std::string none;
    return ended_ ? kept_->problem_ : none;
  }
  [[nodiscard]] GivenContacts contacts() const noexcept override {
    return next_ == 0 ? GivenContacts{} : kept_->contacts_[next_ - 1];
  }
  [[nodiscard]] ReadStatus read(SegmentSample& sample) noexcept override {
    if (next_ >= kept_->samples_.size()) {
      ended_ = true;
      return kept_->end_;
    }
    try {
      sample = kept_->samples_[next_];
    } catch (...) {
      return ReadStatus::Malformed;  // no memory for a sample of this size
    }
    ++next_;
    return ReadStatus::Sample;
  }

 private:
  std::shared_ptr<const KeptRecording> kept_;
  std::size_t next_ = 0;
  bool ended_ = false;
};

std::shared_ptr<const KeptRecording> KeptRecording::of(io::MotionFile& file, std::size_t most) {
  const auto kept = std::make_shared<KeptRecording>();
  SegmentSample sample;
  while ((kept->end_ = file.read(sample)) != ReadStatus::EndOfMotion && kept->end_ != ReadStatus::Malformed) {
    if (kept->end_ != ReadStatus::Sample) continue;
    if (kept->samples_.size() >= most) return nullptr;
    kept->samples_.push_back(sample);
    kept->contacts_.push_back(file.contacts());
  }
  kept->names_ = file.names();
  kept->info_ = file.info();
  kept->problem_ = file.problem();
  return kept;
}

std::unique_ptr<io::MotionFile> KeptRecording::open(std::shared_ptr<const KeptRecording> kept) {
  return std::make_unique<Replayed>(std::move(kept));
}

}  // namespace panto::app
