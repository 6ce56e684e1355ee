// profiling/messages/json_codec_scene.cpp: scenes that are folders as JSON and back.
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::string_view kDigits = "0123456789abcdef";

// Two hexadecimal digits a byte, as pictures have them.
std::string to_hex(const std::string& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string from_hex(const std::string& text) {
  const auto digit = [](char c) {
    const std::size_t value = kDigits.find(c);
    if (value == std::string_view::npos)
      throw std::length_error("a byte of a scene's data is not a hexadecimal number");
    return static_cast<unsigned>(value);
  };
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  return bytes;
}

}  // namespace

json encode(const SceneText& scene) {
  json object = {{"name", scene.name}, {"description", scene.description}, {"hash", scene.hash}};
  write(object, "file", scene.file);
  for (const KernelSource& source : scene.sources) {
    object["sources"].push_back(
        {{"path", source.path}, {"hash", source.hash}, {"text", source.text}});
  }
  for (const SceneData& data : scene.data)
    object["data"].push_back({{"path", data.path}, {"bytes", to_hex(data.bytes)}});
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
    for (const json& row : rows_of(*data))
      scene.data.push_back({row.value("path", ""), from_hex(row.value("bytes", ""))});
  }
}

}  // namespace warpscope
