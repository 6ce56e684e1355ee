// profiling/messages/json_codec_training.cpp: how far a training has come as JSON and back; bytes
// as text.
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::uint8_t kNoDigit = 255;
constexpr std::array<std::uint8_t, 256> kDigitOf = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t d = 0; d < 16; ++d)
    digits[static_cast<std::uint8_t>("0123456789abcdef"[d])] = d;
  return digits;
}();

}  // namespace

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<std::uint8_t> bytes_of_hex(const std::string& text) {
  if (text.size() % 2 != 0) throw std::length_error("a byte lacks its second digit");
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint8_t high = kDigitOf[static_cast<std::uint8_t>(text[2 * i])],
                       low = kDigitOf[static_cast<std::uint8_t>(text[2 * i + 1])];
    if (high == kNoDigit || low == kNoDigit)
      throw std::length_error("a byte is not a hexadecimal number");
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bytes;
}

json encode(const TrainingState& s) {
  return {{"job", s.job},
          {"scene", s.scene},
          {"variant", s.variant},
          {"axes", s.axes},
          {"settings", s.settings},
          {"step", s.step},
          {"steps", s.steps},
          {"epoch", s.epoch},
          {"epoch_loss", s.epoch_loss},
          {"first_loss", s.first_loss},
          {"weights", hex_of(s.weights)}};
}

void decode(const json& object, TrainingState& s) {
  read(object, "job", s.job);
  read(object, "scene", s.scene);
  read(object, "variant", s.variant);
  read(object, "axes", s.axes);
  read(object, "settings", s.settings);
  read(object, "step", s.step);
  read(object, "steps", s.steps);
  read(object, "epoch", s.epoch);
  read(object, "epoch_loss", s.epoch_loss);
  read(object, "first_loss", s.first_loss);
  std::string weights;
  read(object, "weights", weights);
  s.weights = bytes_of_hex(weights);
}

json encode(const Latents& l) {
  return {{"job", l.job}, {"first", l.first}, {"shape", l.shape}, {"values", hex_of(l.values)}};
}

void decode(const json& object, Latents& l) {
  read(object, "job", l.job);
  read(object, "first", l.first);
  read(object, "shape", l.shape);
  std::string values;
  read(object, "values", values);
  l.values = bytes_of_hex(values);
}

}  // namespace warpscope
