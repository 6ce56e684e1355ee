// profiling/training/checkpoint.h: a training on the disk: written whole or not at all, read only
// where it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiling/messages/training_state.h"
#include "scenes/host/result.h"

// A file is two lines: "warpscope checkpoint 1 HASH", and the state as a message, whose text the
// hash is of. The workbench writes it, which a killed engine leaves alone, and which has the
// person's disk where the engine is on another machine.
//
//   write_checkpoint("run.checkpoint", state);                     // beside it, then renamed
//   Result<TrainingState> state = read_checkpoint("run.checkpoint");

namespace warpscope {

inline constexpr int kCheckpointFormat = 1;

std::string checkpoint_text(const TrainingState& state);
// error: input: no checkpoint, one of another format, torn, damaged; of a scene, a variant, axes or
// weights that do not go together.
Result<TrainingState> parse_checkpoint(std::string_view text, const std::string& name);

// error: environment (as write_file).
// A file in the folder at hand that is not there yet: "autoencoder-2.checkpoint".
std::filesystem::path free_checkpoint(const std::string& scene);
// Whether a training may be kept there: there is no file, an empty one, or a checkpoint. error:
// usage: another file; input: it is not a file, or it cannot be read.
Result<void> admit_checkpoint(const std::filesystem::path& path);
// error: as admit_checkpoint; environment.
Result<void> write_checkpoint(const std::filesystem::path& path, const TrainingState& state);
// error: as parse_checkpoint; no such file.
Result<TrainingState> read_checkpoint(const std::filesystem::path& path);

}  // namespace warpscope
