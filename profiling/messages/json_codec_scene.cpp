// profiling/messages/json_codec_scene.cpp: scenes that are folders as JSON and back.
#include <zstd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"
#include "profiling/text/base64.h"
#include "profiling/text/hex.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Two hexadecimal digits a byte, as pictures have them.
std::string from_hex(const std::string& text) {
  std::optional<std::string> bytes = bytes_of_hex_text(text);
  if (!bytes) throw std::length_error("a byte of a scene's data is not a hexadecimal number");
  return std::move(*bytes);
}

// Data beyond this goes packed: all files one after the other as one frame, whose window sees the
// whole, since memory after a launch is mostly what it was before.
constexpr std::size_t kLeastPackedBytes = 1 << 20;
constexpr std::size_t kMostPackedBytes = 256 << 20;
constexpr int kLevel = 3, kWindowLog = 27;

std::string packed(const std::vector<SceneData>& data) {
  std::string all;
  for (const SceneData& file : data) all += file.bytes.text();
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
  std::string frame(ZSTD_compressBound(all.size()), '\0');
  const std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), all.data(), all.size());
  frame.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return base64(frame);
}

// Fills the bytes of rows whose sizes are known.
void unpack(const std::string& text, const std::vector<std::size_t>& sizes,
            std::vector<SceneData>& data) {
  std::size_t total = 0;
  for (const std::size_t size : sizes) {
    if (size > kMostPackedBytes || total + size > kMostPackedBytes)
      throw std::length_error("a scene's data is larger than 256 MiB");
    total += size;
  }
  const std::optional<std::string> frame = from_base64(text);
  if (!frame) throw std::length_error("a scene's packed data is not base64");
  std::string all(total, '\0');
  const std::size_t size = ZSTD_decompress(all.data(), all.size(), frame->data(), frame->size());
  if (ZSTD_isError(size) != 0 || size != total)
    throw std::length_error("a scene's packed data cannot be unpacked");
  std::size_t at = 0;
  for (std::size_t i = 0; i < data.size(); at += sizes[i++])
    data[i].bytes = all.substr(at, sizes[i]);
}

}  // namespace

json encode(const SceneText& scene) {
  json object = {{"name", scene.name}, {"description", scene.description}, {"hash", scene.hash}};
  write(object, "file", scene.file);
  for (const KernelSource& source : scene.sources) {
    object["sources"].push_back(
        {{"path", source.path}, {"hash", source.hash}, {"text", source.text}});
  }
  std::size_t total = 0;
  for (const SceneData& data : scene.data) total += data.bytes.size();
  const bool is_packed = total >= kLeastPackedBytes && total <= kMostPackedBytes;
  for (const SceneData& data : scene.data) {
    object["data"].push_back({{"path", data.path}});
    if (is_packed) {
      object["data"].back()["size"] = data.bytes.size();
    } else {
      object["data"].back()["bytes"] = hex_text(data.bytes.text());
    }
  }
  if (is_packed) object["packed_data"] = packed(scene.data);
  return object;
}

void decode(const json& object, SceneText& scene) {
  read(object, "name", scene.name);
  read(object, "file", scene.file);
  read(object, "description", scene.description);
  read(object, "hash", scene.hash);
  if (const auto sources = object.find("sources"); sources != object.end()) {
    for (const json& row : rows_of(*sources))
      scene.sources.push_back(kernel_source(row.value("path", ""), row.value("text", "")));
  }
  if (const auto data = object.find("data"); data != object.end()) {
    std::vector<std::size_t> sizes;
    for (const json& row : rows_of(*data)) {
      scene.data.push_back({row.value("path", ""), from_hex(row.value("bytes", ""))});
      sizes.push_back(row.value("size", std::size_t{0}));
    }
    if (const auto all = object.find("packed_data"); all != object.end())
      unpack(all->get<std::string>(), sizes, scene.data);
  }
}

}  // namespace warpscope
