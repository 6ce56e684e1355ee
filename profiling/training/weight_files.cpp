// profiling/training/weight_files.cpp: learnt weights and codes as files that other programs read.
#include "profiling/training/weight_files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "scenes/base/texts/npy_array.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kMostFileBytes = 4LL << 30, kFloatBytes = 4;

std::string file_of(const TrainingTensor& tensor) {
  std::string name = tensor.name + ".npy";
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

Result<NpyArray> read_npy(const fs::path& path) {
  const Result<std::string> bytes = read_input(path, kMostFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_npy_array(*bytes, path.string());
}

// f32 of this shape; as other programs have it, where channels are innermost.
Result<void> expect(const NpyArray& array, const std::vector<std::int64_t>& shape,
                    const fs::path& path) {
  if (array.type == ElementType::f32 && array.shape == shape) return {};
  return failure(ErrorKind::input,
                 std::string("the array is ") + to_text(array.type) + " of shape " +
                     shape_text(array.shape) + ", and f32 of " + shape_text(shape) + " is expected",
                 path.string(), "choose the axes that it was learnt with, or name its layout");
}

Result<Bytes> read_arrays(const fs::path& folder, const std::vector<TrainingTensor>& tensors,
                          bool other_layout) {
  Bytes all;
  for (const TrainingTensor& tensor : tensors) {
    const fs::path path = folder / file_of(tensor);
    const Result<NpyArray> array = read_npy(path);
    if (!array) return tl::unexpected(array.error());
    std::vector<std::int64_t> shape = tensor.shape;
    if (other_layout && shape.size() == 4) shape = {shape[0], shape[2], shape[3], shape[1]};
    if (Result<void> right = expect(*array, shape, path); !right)
      return tl::unexpected(right.error());
    all.insert(all.end(), array->bytes.begin(), array->bytes.end());
  }
  return all;
}

Result<Bytes> read_raw(const fs::path& path, const Training& training, std::int64_t bytes,
                       std::size_t tensors) {
  const Result<std::string> text = read_input(path, kMostFileBytes);
  if (!text) return tl::unexpected(text.error());
  if (static_cast<std::int64_t>(text->size()) != bytes) {
    return failure(ErrorKind::input,
                   "the file has " + std::to_string(text->size()) + " bytes, and " +
                       std::to_string(bytes) + " are expected: " + std::to_string(tensors) +
                       " tensors of f32 in the order of the layers, their weights as [out, in, 3, "
                       "3] or " +
                       training.other_layout + ", which have one size",
                   path.string(), "choose the axes that they were learnt with");
  }
  return Bytes(text->begin(), text->end());
}

}  // namespace

Result<void> write_weights(const fs::path& folder, const Training& training,
                           const Configuration& axes, std::span<const std::uint8_t> weights) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !fs::is_directory(folder))
    return failure(ErrorKind::environment, "the folder cannot be made", folder.string(),
                   "choose a place that you may write to");
  if (Result<void> written = write_file(folder / kRawWeights, text_of(weights)); !written)
    return written;
  for (const TrainingTensor& tensor : training.tensors(axes)) {
    const auto part = weights.subspan(static_cast<std::size_t>(tensor.first * kFloatBytes),
                                      static_cast<std::size_t>(tensor.count * kFloatBytes));
    if (Result<void> written =
            write_file(folder / file_of(tensor),
                       npy_text(ElementType::f32, tensor.shape, std::as_bytes(part)));
        !written)
      return written;
  }
  return {};
}

Result<Bytes> read_weights(const fs::path& path, const Training& training,
                           const Configuration& axes, bool other_layout) {
  const std::vector<TrainingTensor> tensors = training.tensors(axes);
  const std::int64_t count = weight_count(training, axes);
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const bool arrays =
      folder && std::all_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
        return fs::exists(path / file_of(tensor), ignored);
      });
  Result<Bytes> bytes = arrays ? read_arrays(path, tensors, other_layout)
                               : read_raw(folder ? path / kRawWeights : path, training,
                                          count * kFloatBytes, tensors.size());
  if (!bytes || !other_layout) return bytes;
  std::vector<float> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  values = training.from_other_layout(axes, values);
  std::memcpy(bytes->data(), values.data(), bytes->size());
  return bytes;
}

Result<void> write_latents(const fs::path& path, const std::vector<Latents>& parts) {
  std::vector<std::int64_t> shape;
  Bytes all;
  for (const Latents& part : parts) {
    if (shape.empty()) {
      shape = part.shape;
    } else {
      shape[0] += part.shape[0];
    }
    all.insert(all.end(), part.values.begin(), part.values.end());
  }
  return write_file(path, npy_text(ElementType::f32, shape, std::as_bytes(std::span(all))));
}

Result<Latents> read_latents(const fs::path& path, const Training& training,
                             const Configuration& axes) {
  Result<NpyArray> array = read_npy(path);
  if (!array) return tl::unexpected(array.error());
  std::vector<std::int64_t> shape = training.latent_shape(axes);
  shape.insert(shape.begin(), array->shape.empty() ? 0 : array->shape.front());
  if (Result<void> right = expect(*array, shape, path); !right)
    return tl::unexpected(right.error());
  return Latents{0, 0, array->shape, Bytes(array->bytes.begin(), array->bytes.end())};
}

}  // namespace warpscope
