// profiling/capture/tensor_map.h: tensor maps of a captured launch as arguments of a scene.
#pragma once

#include <string>
#include <vector>

#include "profiling/capture/capture.h"

// The 128 bytes of a map mean something to the device alone. A scene describes the map instead: on
// a GPU the driver makes it again for the replay's memory, and the emulator reads the description.
// A map that a scene cannot describe is replayed with the program's bytes and a moved address, and
// is not emulated.

namespace warpscope {

// The map in the words of a description, "map:{arg1+256,f16,(64,128),(128),(64,64)}"; `buffers`:
// one per memory of the capture. error: input: why a scene cannot have it, as "its elements are
// tf32".
Result<std::string> tensor_map_words(const CapturedTensorMap& map, const Capture& capture,
                                     const std::vector<std::string>& buffers);

}  // namespace warpscope
