// profiling/training/checkpoint.cpp: a training on the disk: written whole or not at all, read only
// where it is whole.
#include "profiling/training/checkpoint.h"

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/training.h"

namespace warpscope {
namespace {

constexpr std::string_view kMagic = "warpscope checkpoint ";
constexpr std::int64_t kMostBytes = 128LL << 20;
constexpr const char* kAnother = "resume from another checkpoint, or begin anew";

tl::unexpected<Error> refuse(std::string what, const std::string& name, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

// What only a scene can say of it.
Result<void> fits_scene(const TrainingState& state, const std::string& name) {
  const auto foreign = [&](const std::string& why) {
    return refuse("the checkpoint is of no training that this version knows: " + why, name,
                  "use the version that wrote it");
  };
  const Result<const Scene*> scene = built_in_catalogue().find(state.scene);
  if (!scene || !(*scene)->training) return foreign("scene " + state.scene);
  const Training& training = *(*scene)->training;
  const Variant* variant = find_variant(**scene, state.variant);
  if (variant == nullptr) return foreign("variant " + state.variant);
  const Result<Configuration> typed =
      with_values((*scene)->axes, default_configuration((*scene)->axes), state.axes);
  const Result<Configuration> settings =
      with_values(training.axes, default_configuration(training.axes), state.settings);
  if (!typed) return foreign(sentence(typed.error()));
  if (!settings) return foreign(sentence(settings.error()));
  const Configuration axes = for_variant((*scene)->axes, *typed, state.variant);
  if (Result<void> admitted = (*scene)->admit(axes); !admitted)
    return foreign(sentence(admitted.error()));
  const auto bytes = static_cast<std::size_t>(4 * weight_count(training, axes));
  if (state.weights.size() != bytes) {
    return foreign("its weights have " + std::to_string(state.weights.size()) + " bytes, and " +
                   std::to_string(bytes) + " are expected");
  }
  if (state.step < 0 || state.steps < 1 || state.step > state.steps || state.epoch < 0)
    return foreign("step " + std::to_string(state.step) + " of " + std::to_string(state.steps));
  return {};
}

}  // namespace

std::string checkpoint_text(const TrainingState& state) {
  const std::string line = to_line(state);
  return std::string(kMagic) + std::to_string(kCheckpointFormat) + " " + hash_of(line) + "\n" +
         line + "\n";
}

Result<TrainingState> parse_checkpoint(std::string_view text, const std::string& name) {
  if (!text.starts_with(kMagic)) {
    return refuse(text.empty() ? "the checkpoint is empty" : "the file is not a checkpoint", name,
                  "name a file that `warpscope train --checkpoint` wrote");
  }
  const std::size_t head = text.find('\n');
  if (head == std::string_view::npos) return refuse("the checkpoint is torn", name, kAnother);
  const std::string_view first = text.substr(kMagic.size(), head - kMagic.size());
  int format = 0;
  const auto number = std::from_chars(first.data(), first.data() + first.size(), format);
  if (number.ec != std::errc())
    return refuse("the file is not a checkpoint", name,
                  "name a file that `warpscope train --checkpoint` wrote");
  if (format != kCheckpointFormat) {
    return refuse("the checkpoint is of format " + std::to_string(format) +
                      ", this version reads " + std::to_string(kCheckpointFormat),
                  name, "use the version that wrote it");
  }
  std::string_view line = text.substr(head + 1);
  if (!line.ends_with('\n')) {
    return refuse("the checkpoint is torn after " + std::to_string(text.size()) + " bytes", name,
                  kAnother);
  }
  line.remove_suffix(1);
  if (first != std::to_string(format) + " " + hash_of(line))
    return refuse("the checkpoint is damaged: its hash is another one", name, kAnother);
  Result<Message> message = parse_line(line);
  if (!message) return refuse(message.error().what, name, kAnother);
  auto* state = std::get_if<TrainingState>(&*message);
  if (state == nullptr) return refuse("the checkpoint holds no training", name, kAnother);
  if (Result<void> fits = fits_scene(*state, name); !fits) return tl::unexpected(fits.error());
  return std::move(*state);
}

Result<void> write_checkpoint(const std::filesystem::path& path, const TrainingState& state) {
  return admit_checkpoint(path).and_then(
      [&] { return write_own_file(path, checkpoint_text(state)); });
}

std::filesystem::path free_checkpoint(const std::string& scene) {
  std::error_code ignored;
  std::filesystem::path path = scene + ".checkpoint";
  for (int number = 2; std::filesystem::exists(path, ignored); ++number)
    path = scene + "-" + std::to_string(number) + ".checkpoint";
  return path;
}

Result<void> admit_checkpoint(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  // As much of it as says what it is; a longer file is read no further.
  Result<InputFile> file = InputFile::open(path, std::numeric_limits<std::int64_t>::max());
  if (!file) return tl::unexpected(file.error());
  std::array<char, kMagic.size()> begin{};
  const Result<std::size_t> count = file->read(begin.data(), begin.size());
  if (!count) return tl::unexpected(count.error());
  if (*count == 0 || std::string_view(begin.data(), *count) == kMagic) return {};
  return failure(ErrorKind::usage, "the file is not a checkpoint and is not written over",
                 path.string(), "name another file with --checkpoint, or move this one away");
}

Result<TrainingState> read_checkpoint(const std::filesystem::path& path) {
  const Result<std::string> text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_checkpoint(*text, path.string());
}

}  // namespace warpscope
