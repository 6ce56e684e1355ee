// profiling/capture/capture.cpp: the description of a capture as JSON and back.
#include "profiling/capture/capture.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "profiling/capture/layout.h"
#include "profiling/text/hex.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"argument", "pointed", "variable"};
// source: as of launches (emulator/run/launch_limits.h), with room for what comes.
constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::size_t kMostParameters = 4096, kMostMemories = 65536, kMostPointers = 1 << 20;

// What is wrong with a description, as the end of a sentence.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string from_hex(const std::string& text) {
  std::optional<std::string> bytes = bytes_of_hex_text(text);
  if (!bytes) throw Wrong("the bytes of a parameter are not hexadecimal");
  return std::move(*bytes);
}

json dim(const Dim3& d) { return json::array({d.x, d.y, d.z}); }

Dim3 dim_of(const json& object, const char* key, std::int64_t most) {
  const json& row = object.at(key);
  if (!row.is_array() || row.size() != 3) throw Wrong(std::string(key) + " is not three numbers");
  const Dim3 d{row[0].get<std::int64_t>(), row[1].get<std::int64_t>(), row[2].get<std::int64_t>()};
  for (const std::int64_t extent : {d.x, d.y, d.z}) {
    if (extent < 1 || extent > most)
      throw Wrong(std::string(key) + " has an extent that no launch has");
  }
  return d;
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::string() : found->get<std::string>();
}

json encode(const CapturedTensorMap& m) {
  json object = {{"parameter", m.parameter},
                 {"at", m.at},
                 {"address", m.address},
                 {"type", m.type},
                 {"interleave", m.interleave},
                 {"swizzle", m.swizzle},
                 {"l2_promotion", m.l2_promotion},
                 {"fill", m.fill},
                 {"extents", m.extents},
                 {"strides", m.strides},
                 {"steps", m.steps}};
  if (!m.box.empty()) object["box"] = m.box;
  if (m.box.empty())
    object["im2col"] = {
        {"lower", m.lower}, {"upper", m.upper}, {"channels", m.channels}, {"pixels", m.pixels}};
  return object;
}

json encode(const Capture& c) {
  json object = {{"made_by", c.made_by},
                 {"time", c.time},
                 {"program", c.program},
                 {"process", c.process},
                 {"device",
                  {{"name", c.device},
                   {"uuid", c.device_uuid},
                   {"compute_capability", c.compute_capability},
                   {"driver", c.driver}}},
                 {"kernel", {{"symbol", c.symbol}, {"name", c.name}}},
                 {"number", c.number},
                 {"grid", dim(c.launch.grid)},
                 {"block", dim(c.launch.block)},
                 {"cluster", dim(c.launch.cluster)},
                 {"shared_bytes", c.launch.dynamic_shared_bytes},
                 {"cooperative", c.launch.cooperative},
                 {"range", c.range},
                 {"data", c.data},
                 {"ptx_origin", c.ptx_origin},
                 {"notes", c.notes},
                 {"parameters", json::array()},
                 {"memory", json::array()},
                 {"pointers", json::array()},
                 {"tensor_maps", json::array()}};
  for (const CapturedParameter& p : c.parameters)
    object["parameters"].push_back({{"offset", p.offset}, {"bytes", hex_text(p.bytes)}});
  for (const CapturedMemory& m : c.memory) {
    object["memory"].push_back({{"kind", kKinds[static_cast<std::size_t>(m.kind)]},
                                {"address", m.address},
                                {"bytes", m.bytes},
                                {"name", m.name}});
  }
  for (const CapturedPointer& p : c.pointers) {
    object["pointers"].push_back({{"in", p.in_memory ? "memory" : "parameter"},
                                  {"holder", p.holder},
                                  {"at", p.at},
                                  {"memory", p.memory},
                                  {"offset", p.offset}});
  }
  for (const CapturedTensorMap& m : c.tensor_maps) object["tensor_maps"].push_back(encode(m));
  return object;
}

void decode_head(const json& object, Capture& c) {
  constexpr std::int64_t kMostExtent = (std::int64_t{1} << 31) - 1;
  c.made_by = text_of(object, "made_by");
  c.time = text_of(object, "time");
  c.program = object.value("program", std::vector<std::string>{});
  c.process = object.value("process", std::int64_t{0});
  if (const auto device = object.find("device"); device != object.end()) {
    c.device = text_of(*device, "name");
    c.device_uuid = text_of(*device, "uuid");
    c.compute_capability = device->value("compute_capability", 0);
    c.driver = device->value("driver", 0);
  }
  c.symbol = text_of(object.at("kernel"), "symbol");
  c.name = text_of(object.at("kernel"), "name");
  if (c.symbol.empty()) throw Wrong("the kernel has no name");
  if (c.name.empty()) c.name = c.symbol;
  c.number = object.value("number", std::int64_t{0});
  c.launch.grid = dim_of(object, "grid", kMostExtent);
  c.launch.block = dim_of(object, "block", kMostExtent);
  c.launch.cluster = dim_of(object, "cluster", kMostExtent);
  c.launch.dynamic_shared_bytes = object.value("shared_bytes", std::int64_t{0});
  if (c.launch.dynamic_shared_bytes < 0 || c.launch.dynamic_shared_bytes > (1 << 24))
    throw Wrong("shared_bytes is not a size of shared memory");
  c.launch.cooperative = object.value("cooperative", false);
  c.range = text_of(object, "range");
  c.data = object.value("data", true);
  c.ptx_origin = text_of(object, "ptx_origin");
  c.notes = object.value("notes", std::vector<std::string>{});
}

void decode_memory(const json& object, Capture& c) {
  std::uint64_t all = 0;
  if (object.at("memory").size() > kMostMemories) throw Wrong("it has too many parts of memory");
  for (const json& row : object.at("memory")) {
    CapturedMemory m;
    const std::string kind = text_of(row, "kind");
    const auto* found = std::find(std::begin(kKinds), std::end(kKinds), kind);
    if (found == std::end(kKinds)) throw Wrong("a part of memory is of an unknown kind");
    m.kind = static_cast<CapturedMemory::Kind>(found - std::begin(kKinds));
    m.address = row.at("address").get<std::uint64_t>();
    m.bytes = row.at("bytes").get<std::uint64_t>();
    m.name = text_of(row, "name");
    if (m.bytes == 0 || m.bytes > kMostCapturedBytes || all + m.bytes > kMostCapturedBytes)
      throw Wrong("its memory is empty or has more than 8 GiB");
    if (m.address > ~std::uint64_t{0} - m.bytes) throw Wrong("a part of memory ends nowhere");
    all += m.bytes;
    c.memory.push_back(std::move(m));
  }
}

void decode_parameters(const json& object, Capture& c) {
  if (object.at("parameters").size() > kMostParameters) throw Wrong("it has too many parameters");
  std::uint64_t end = 0;
  for (const json& row : object.at("parameters")) {
    CapturedParameter p{row.at("offset").get<std::uint64_t>(), from_hex(text_of(row, "bytes"))};
    if (p.bytes.empty() || p.offset < end || p.offset + p.bytes.size() > kMostParameterBytes)
      throw Wrong("its parameters overlap or are longer than a kernel takes");
    end = p.offset + p.bytes.size();
    c.parameters.push_back(std::move(p));
  }
}

void decode_pointers(const json& object, Capture& c) {
  if (object.at("pointers").size() > kMostPointers) throw Wrong("it has too many pointers");
  for (const json& row : object.at("pointers")) {
    CapturedPointer p;
    p.in_memory = text_of(row, "in") == "memory";
    const auto holder = row.at("holder").get<std::uint64_t>();
    const auto memory = row.at("memory").get<std::uint64_t>();
    p.at = row.at("at").get<std::uint64_t>();
    p.offset = row.at("offset").get<std::uint64_t>();
    const std::uint64_t holders = p.in_memory ? c.memory.size() : c.parameters.size();
    if (holder >= holders || memory >= c.memory.size()) throw Wrong("a pointer leads nowhere");
    p.holder = static_cast<std::uint32_t>(holder);
    p.memory = static_cast<std::uint32_t>(memory);
    const std::uint64_t room =
        p.in_memory ? c.memory[p.holder].bytes : c.parameters[p.holder].bytes.size();
    if (room < 8 || p.at > room - 8 || p.offset > c.memory[p.memory].bytes)
      throw Wrong("a pointer lies outside of what holds it, or points past what it points to");
    c.pointers.push_back(p);
  }
}

// One number per dimension, at most five of them.
template <typename T>
std::vector<T> dimensions_of(const json& object, const char* key) {
  constexpr std::size_t kMostDimensions = 5;
  const json& row = object.at(key);
  if (!row.is_array() || row.size() > kMostDimensions)
    throw Wrong("a tensor map has more than five dimensions");
  return row.get<std::vector<T>>();
}

// Captures of earlier versions have none.
void decode_tensor_maps(const json& object, Capture& c) {
  const auto maps = object.find("tensor_maps");
  if (maps == object.end()) return;
  if (maps->size() > kMostParameterBytes / kTensorMapBytes)
    throw Wrong("it has too many tensor maps");
  for (const json& row : *maps) {
    CapturedTensorMap m;
    const auto parameter = row.at("parameter").get<std::uint64_t>();
    m.at = row.at("at").get<std::uint64_t>();
    if (parameter >= c.parameters.size() ||
        c.parameters[parameter].bytes.size() < kTensorMapBytes ||
        m.at > c.parameters[parameter].bytes.size() - kTensorMapBytes)
      throw Wrong("a tensor map lies outside of its parameter");
    m.parameter = static_cast<std::uint32_t>(parameter);
    m.address = row.at("address").get<std::uint64_t>();
    m.type = row.at("type").get<int>();
    m.interleave = row.at("interleave").get<int>();
    m.swizzle = row.at("swizzle").get<int>();
    m.l2_promotion = row.at("l2_promotion").get<int>();
    m.fill = row.at("fill").get<int>();
    m.extents = dimensions_of<std::uint64_t>(row, "extents");
    m.strides = dimensions_of<std::uint64_t>(row, "strides");
    m.steps = dimensions_of<std::uint32_t>(row, "steps");
    if (row.contains("box")) m.box = dimensions_of<std::uint32_t>(row, "box");
    if (const auto im2col = row.find("im2col"); im2col != row.end()) {
      m.lower = dimensions_of<std::int32_t>(*im2col, "lower");
      m.upper = dimensions_of<std::int32_t>(*im2col, "upper");
      m.channels = im2col->at("channels").get<std::uint32_t>();
      m.pixels = im2col->at("pixels").get<std::uint32_t>();
    }
    c.tensor_maps.push_back(std::move(m));
  }
}

}  // namespace

std::string extents_text(const Dim3& d) {
  std::string text = std::to_string(d.x);
  if (d.y != 1 || d.z != 1) text += "," + std::to_string(d.y);
  if (d.z != 1) text += "," + std::to_string(d.z);
  return text;
}

std::int64_t memory_bytes(const Capture& capture) {
  std::uint64_t all = 0;
  for (const CapturedMemory& m : capture.memory) all += m.bytes;
  return static_cast<std::int64_t>(all);
}

std::string json_of_capture(const Capture& capture) {
  return encode(capture).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Capture> capture_of_json(const std::string& text, const std::string& file) {
  const auto damaged = [&file](const std::string& why) {
    return failure(ErrorKind::input, "the description of the launch is damaged: " + why, file,
                   "capture the launch again");
  };
  try {
    const json object = json::parse(text);
    if (!object.is_object()) return damaged("it is not an object");
    Capture capture;
    decode_head(object, capture);
    decode_parameters(object, capture);
    decode_memory(object, capture);
    decode_pointers(object, capture);
    decode_tensor_maps(object, capture);
    return capture;
  } catch (const Wrong& wrong) {
    return damaged(wrong.what());
  } catch (const json::exception&) {
    return damaged("a field is missing or of another type");
  }
}

}  // namespace warpscope
