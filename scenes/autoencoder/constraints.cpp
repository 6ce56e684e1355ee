// scenes/autoencoder/constraints.cpp: where autoencoder's variants cannot run, and what mends it.
#include "scenes/autoencoder/constraints.h"

#include <algorithm>
#include <optional>
#include <string>

#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/step/step.h"

namespace warpscope::autoencoder {
namespace {

using Violation = std::optional<std::string>;

std::optional<AxisChange> fewer_images(std::int64_t images) {
  if (images < 1) return std::nullopt;
  return AxisChange{"lower the batch to " + std::to_string(images),
                    {{"batch", std::to_string(images)}}};
}

constexpr std::int64_t kMostIndex = (1LL << 31) - 1;

}  // namespace

Constraint layers_fit_grid() {
  constexpr std::int64_t kMostLayers = 65535;  // source: CUDA C++ Programming Guide, limits of z
  return {"images times channels of the output must be at most 65535, the layers of grid z",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (grid2d_layers(w) <= kMostLayers) return std::nullopt;
            return "grid z holds 65535 layers, needs " + std::to_string(grid2d_layers(w));
          },
          [](const Workload& w, const DeviceLimits&) {
            return fewer_images(kMostLayers / (grid2d_layers(w) / w.integer("batch")));
          }};
}

Constraint columns_fit_32_bits() {
  return {"images times 9·in times pixels must be below 2³¹, a 32-bit index",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t values = most_column_values(w.axes);
            if (values <= kMostIndex) return std::nullopt;
            return "im2col has a 32-bit index, and the columns have " + std::to_string(values) +
                   " elements, 2³¹ or more";
          },
          [](const Workload& w, const DeviceLimits&) {
            return fewer_images(kMostIndex / (most_column_values(w.axes) / w.integer("batch")));
          }};
}

Constraint columns_fit_memory() {
  constexpr std::int64_t kElementBytes = 4;
  return {"the columns must fit the free memory",
          [](const Workload& w, const DeviceLimits& d) -> Violation {
            const std::int64_t bytes = kElementBytes * conv_of(w.axes).column_values();
            if (bytes <= d.free_bytes) return std::nullopt;
            return "the columns need " + std::to_string(bytes >> 20) + " MiB, " +
                   std::to_string(d.free_bytes >> 20) + " are free";
          },
          [](const Workload& w, const DeviceLimits& d) {
            const Conv s = conv_of(w.axes);
            return fewer_images(d.free_bytes / (kElementBytes * s.column_values() / s.images));
          }};
}

Constraint step_fits_memory(std::function<Buffers(const Workload&)> scratch) {
  // Maps grow with the batch; what does not is small beside them.
  const auto needed = [scratch](const Workload& w) {
    return buffer_bytes(scratch(w)) + buffer_bytes(net_scratch(w));
  };
  return {"the maps of a step, and those of its reference, must fit the free memory",
          [scratch, needed](const Workload& w, const DeviceLimits& d) -> Violation {
            if (needed(w) <= d.free_bytes) return std::nullopt;
            const auto mib = [](std::int64_t bytes) {
              return std::to_string(bytes >> 20) + " MiB";
            };
            std::string sentence = "the step keeps " + mib(buffer_bytes(scratch(w)));
            for (const BufferSpec& buffer : scratch(w)) {
              if (buffer.name == "columns")
                sentence += ", " + mib(buffer_bytes({buffer})) + " of them columns";
            }
            return sentence + ", and its reference " + mib(buffer_bytes(net_scratch(w))) + "; " +
                   mib(d.free_bytes) + " are free";
          },
          [needed](const Workload& w, const DeviceLimits& d) {
            return fewer_images(d.free_bytes / ceil_divide(needed(w), w.integer("batch")));
          }};
}

Constraint tensors_begin_aligned() {
  constexpr std::int64_t kAlignedBytes = 16, kChannels = 8;
  // The first tensor that does not; null: each does.
  const auto misplaced = [](const Workload& w) -> std::optional<Tensor> {
    for (const Tensor& tensor : tensors_of(w.axes)) {
      if (tensor.first * element_bytes(ElementType::f32) % kAlignedBytes != 0) return tensor;
    }
    return std::nullopt;
  };
  return {"each of the ten tensors must begin at a multiple of 16 bytes: channels in eights do",
          [misplaced](const Workload& w, const DeviceLimits&) -> Violation {
            const std::optional<Tensor> tensor = misplaced(w);
            if (!tensor) return std::nullopt;
            return "the library reads 16 bytes at a time, and " + tensor->name +
                   " begins at byte " +
                   std::to_string(tensor->first * element_bytes(ElementType::f32));
          },
          [](const Workload& w, const DeviceLimits&) {
            const std::int64_t whole = ceil_divide(w.integer("channels"), kChannels) * kChannels;
            return AxisChange{"use " + std::to_string(whole) + " channels",
                              {{"channels", std::to_string(whole)}}};
          }};
}

Constraint one_image() {
  return {"it takes one image: a batch would take minutes",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("batch") == 1) return std::nullopt;
            return "the CPU takes one image, and the batch has " +
                   std::to_string(w.integer("batch"));
          },
          [](const Workload&, const DeviceLimits&) { return fewer_images(1); }, true};
}

Constraint rows_of_fours() {
  constexpr std::int64_t kFour = 4;
  const auto side = [](const Workload& w) {
    return part_of(w.axes) == Part::conv ? conv_of(w.axes).side : windows_of(w.axes).large_side();
  };
  return {"rows must be a multiple of 4 pixels, for 16-byte accesses",
          [side](const Workload& w, const DeviceLimits&) -> Violation {
            if (side(w) % kFour == 0) return std::nullopt;
            return "16-byte accesses would be misaligned: a row has " + std::to_string(side(w)) +
                   " pixels";
          },
          [side](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            constexpr std::int64_t kMostSide = 64;
            // Deeper maps have a half or a quarter of an image's side.
            const std::int64_t unit =
                kFour * std::max<std::int64_t>(1, ceil_divide(w.integer("size"), side(w)));
            const std::int64_t whole = ceil_divide(w.integer("size"), unit) * unit;
            if (whole > kMostSide || from_file(w.axes)) return std::nullopt;
            return AxisChange{"use images of " + std::to_string(whole) + " pixels",
                              {{"size", std::to_string(whole)}}};
          }};
}

Constraint tile_fits_shared() {
  return {"the staged channels must fit the shared memory of a block",
          [](const Workload& w, const DeviceLimits& d) -> Violation {
            if (shared_tile_bytes(w) <= d.shared_bytes_per_block) return std::nullopt;
            return "a tile of " + std::to_string(w.integer("staged_channels")) +
                   " channels needs " + std::to_string(shared_tile_bytes(w)) +
                   " bytes of shared memory, a block has " +
                   std::to_string(d.shared_bytes_per_block);
          },
          [](const Workload& w, const DeviceLimits& d) -> std::optional<AxisChange> {
            const std::int64_t fitting =
                d.shared_bytes_per_block * w.integer("staged_channels") / shared_tile_bytes(w);
            if (fitting < 1) return std::nullopt;
            return AxisChange{"stage " + std::to_string(fitting) + " channels",
                              {{"staged_channels", std::to_string(fitting)}}};
          }};
}

Constraint weights_fit_constants() {
  constexpr std::int64_t kConstantBytes = 64 << 10;  // source: CUDA C++ Programming Guide
  const auto bytes = [](const Workload& w) {
    return conv_of(w.axes).weights() * element_bytes(ElementType::f32);
  };
  return {"the weights of the layer must fit the 64 KB of constant memory",
          [bytes](const Workload& w, const DeviceLimits&) -> Violation {
            if (bytes(w) <= kConstantBytes) return std::nullopt;
            return "the weights of " + conv_of(w.axes).layer + " have " +
                   std::to_string(bytes(w) >> 10) + " KB, and constant memory has 64";
          },
          // At 512 channels Conv1 has 54 KB.
          [](const Workload&, const DeviceLimits&) {
            return AxisChange{"take Conv1", {{"layer", "Conv1"}}};
          }};
}

Constraint block_fits() {
  constexpr std::int64_t kMostThreads = 1024;  // of a block. source: CUDA C++ Programming Guide
  return {"block width times block height must be at most 1024 threads",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t threads = w.integer("block_width") * w.integer("block_height");
            if (threads <= kMostThreads) return std::nullopt;
            return "a block has at most 1024 threads, and this one has " + std::to_string(threads);
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::string height = std::to_string(kMostThreads / w.integer("block_width"));
            return AxisChange{"lower the block height to " + height, {{"block_height", height}}};
          }};
}

Constraint even_side() {
  return {"the map must have an even side: every pixel appears there four times",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const Conv s = conv_of(w.axes);
            if (s.side % 2 == 0) return std::nullopt;
            return "a map of " + std::to_string(s.side) + " pixels was not upsampled by two";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            constexpr std::int64_t kUnit = 4;
            const std::int64_t whole = ceil_divide(w.integer("size"), kUnit) * kUnit;
            return AxisChange{"use images of " + std::to_string(whole) + " pixels",
                              {{"size", std::to_string(whole)}}};
          }};
}

}  // namespace warpscope::autoencoder
