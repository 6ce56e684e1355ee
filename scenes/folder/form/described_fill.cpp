// scenes/folder/form/described_fill.cpp: what a buffer of a description begins as, in the words of
// a launch.
#include "scenes/folder/form/described_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "scenes/base/axis.h"

namespace warpscope {
namespace {

constexpr const char* kRange = "range ";
constexpr const char* kByte = "byte ";

std::string number_text(double value) {
  constexpr double kMostWhole = 9007199254740992.0;
  const bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : to_text(AxisValue(value));
}

// "0:10" and "0:1:0.25" as an expression of the index; the words themselves where they are neither,
// so that the description refuses them by their name.
std::string element_of_range(const std::string& words) {
  double numbers[3] = {0, 0, 1};
  int count = 0;
  const char* at = words.c_str();
  while (count < 3) {
    char* end = nullptr;
    numbers[count++] = std::strtod(at, &end);
    if (end == at) return words;
    at = end;
    if (*at != ':') break;
    ++at;
  }
  const auto [low, high, step] = numbers;
  if (*at != '\0' || count < 2 || !(high > low) || !(step > 0)) return words;
  const double period = std::ceil((high - low) / step);
  std::string element = "i % " + number_text(period);
  if (step != 1) element = number_text(step) + " * (" + element + ")";
  if (low != 0) element = number_text(low) + " + " + (step != 1 ? element : "(" + element + ")");
  return element;
}

}  // namespace

const std::vector<std::string>& fill_kinds() {
  static const std::vector<std::string> kinds = {"unset", "zero", "one",        "iota", "random",
                                                 "range", "byte", "expression", "file"};
  return kinds;
}

DescribedFill fill_of(const std::vector<DescribedField>& fields, const std::string& buffer) {
  const std::string table = "buffers." + buffer;
  const auto text = [&](const char* key) -> std::string {
    const DescribedField* field = find_field(fields, table, key);
    const std::vector<std::string> texts =
        field == nullptr ? std::vector<std::string>() : toml_texts(field->value);
    return texts.empty() ? std::string() : texts.front();
  };
  if (find_field(fields, table, "file") != nullptr) return {"file", text("file")};
  if (const DescribedField* element = find_field(fields, table, "element")) {
    for (const char* word : {kRange, kByte}) {
      const std::string start = word;
      if (element->comment.starts_with(start))
        return {start.substr(0, start.size() - 1), element->comment.substr(start.size())};
    }
    return {"expression", text("element")};
  }
  const std::string role = text("role"), word = text("fill");
  if (!word.empty()) return {word, ""};
  if (role == "output" || role == "scratch") return {"unset", ""};
  return {role == "state" ? "zero" : "random", ""};
}

void set_fill(DescriptionEdits& edits, const std::vector<DescribedField>& fields,
              const std::string& buffer, const DescribedFill& fill) {
  const std::string table = "buffers." + buffer;
  const auto set = [&](const char* key, const std::string& value, const std::string& why = {}) {
    edits[{table, key}] = {value, why};
  };
  const auto text = [&](const char* key) -> std::string {
    const DescribedField* field = find_field(fields, table, key);
    return field == nullptr || field->value.empty() ? "" : toml_texts(field->value).front();
  };
  for (const char* key : {"fill", "element", "file"}) set(key, "");
  const std::string role = text("role").empty() ? "input" : text("role");
  const bool unset = fill.kind == "unset";
  if (unset && role != "output" && role != "scratch") set("role", "\"output\"");
  if (!unset && (role == "output" || role == "scratch")) set("role", "\"state\"");
  if (fill.kind == "file") {
    set("file", toml_value(fill.words));
  } else if (fill.kind == "expression") {
    set("element", toml_value(fill.words));
  } else if (fill.kind == "range") {
    set("element", "\"" + element_of_range(fill.words) + "\"", kRange + fill.words);
  } else if (fill.kind == "byte") {
    const auto byte = static_cast<unsigned>(std::strtoul(fill.words.c_str(), nullptr, 0) & 0xff);
    const std::string type = text("type").empty() ? "f32" : text("type");
    set("element", "\"" + element_of_bytes(type, byte) + "\"", kByte + fill.words);
  } else if (!unset) {
    set("fill", "\"" + fill.kind + "\"");
  }
}

std::string fill_words(const DescribedFill& fill) {
  if (fill.kind == "range") return kRange + fill.words;
  if (fill.kind == "byte") return fill.words;
  return fill.kind == "expression" ? "=" + fill.words : fill.kind;
}

std::string element_of_bytes(const std::string& type, unsigned byte) {
  const std::uint64_t eight = std::uint64_t{byte & 0xff} * 0x0101010101010101u;
  const auto real = [](double value) {
    return std::isfinite(value) ? number_text(value) : std::string("nothing");
  };
  if (type == "u8") return std::to_string(byte & 0xff);
  if (type == "i8") return std::to_string(static_cast<std::int8_t>(byte));
  if (type == "u16") return std::to_string(eight & 0xffff);
  if (type == "i32") return std::to_string(static_cast<std::int32_t>(eight));
  if (type == "u32") return std::to_string(static_cast<std::uint32_t>(eight));
  if (type == "f32") return real(std::bit_cast<float>(static_cast<std::uint32_t>(eight)));
  if (type == "f64") return real(std::bit_cast<double>(eight));
  return (byte & 0xff) == 0xff ? (type == "i64" ? "-1" : "nothing") : "0";
}

}  // namespace warpscope
