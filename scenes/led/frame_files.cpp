// scenes/led/frame_files.cpp: frames from PNG and PPM files, patterns from raw ones.
#include "scenes/led/frame_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "scenes/host/input_file.h"
#include "scenes/host/parallel.h"
#include "scenes/led/shapes.h"

namespace warpscope::led {
namespace {

// A picture of 8K (7680×4320) with four channels fits; a row has one byte more while it is packed.
constexpr std::int64_t kMostPixels = 1 << 25;
// What the decoder may take at once: a small file can unpack to anything.
constexpr std::size_t kMostDecoded = 4 * kMostPixels + (1 << 24);

void* take_memory(std::size_t bytes) { return bytes > kMostDecoded ? nullptr : std::malloc(bytes); }
void* take_more_memory(void* before, std::size_t bytes) {
  return bytes > kMostDecoded ? nullptr : std::realloc(before, bytes);
}

}  // namespace
}  // namespace warpscope::led

#define STBI_MALLOC(bytes) warpscope::led::take_memory(bytes)
#define STBI_REALLOC(before, bytes) warpscope::led::take_more_memory(before, bytes)
#define STBI_FREE(memory) std::free(memory)
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 16384
#include <stb/stb_image.h>

namespace warpscope::led {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostSide = STBI_MAX_DIMENSIONS;

// The largest picture that is taken as PPM, or a PNG that was not packed.
constexpr std::int64_t kMostFileBytes = 4 * kMostPixels + (1 << 20);

Result<std::vector<std::byte>> read_whole(const fs::path& path, std::int64_t maximum_bytes) {
  Result<std::string> text = read_input(path, maximum_bytes);
  if (!text) return tl::unexpected(text.error());
  const auto bytes = std::as_bytes(std::span(*text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::string size_text(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + "×" + std::to_string(columns);
}

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".ppm";
}

fs::path raw_path(const Configuration& axes, const char* name) {
  return fs::path(axes.text("pattern_folder")) / name;
}

Result<void> check_raw(const Configuration& axes, const char* name, std::int64_t bytes) {
  if (Result<void> admitted = admit_path(raw_path(axes, name).string()); !admitted) return admitted;
  const Result<InputFile> file =
      InputFile::open(raw_path(axes, name), std::numeric_limits<std::int64_t>::max());
  if (!file) {
    return failure(ErrorKind::input, file.error().what, file.error().where,
                   "name the folder with values.raw and positions.raw");
  }
  if (file->bytes() == bytes) return {};
  return failure(
      ErrorKind::input,
      "it has " + std::to_string(file->bytes()) + " bytes, expected " + std::to_string(bytes),
      raw_path(axes, name).string(), "set leds, channels, block and dtype to those of the file");
}

tl::unexpected<Error> refuse(const std::string& name, std::string what, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

tl::unexpected<Error> too_many_pixels(const std::string& name, const Picture& picture) {
  return refuse(name,
                "its size of " + size_text(picture.rows, picture.columns) +
                    " is over the limit of " + std::to_string(kMostPixels) + " pixels",
                "give a smaller picture");
}

// Why a PNG with a good header was not decoded. source: PNG specification, "Chunk layout".
std::string defect_of_png(std::string_view text) {
  constexpr std::size_t kSignature = 8, kLength = 4, kType = 4, kChecksum = 4;
  constexpr std::array<std::string_view, 5> kCritical = {"IHDR", "PLTE", "IDAT", "IEND", "CgBI"};
  std::size_t at = kSignature;
  while (text.size() - at >= kLength + kType) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLength; ++i)
      length = length << 8 | static_cast<unsigned char>(text[at + i]);
    const std::string_view type = text.substr(at + kLength, kType);
    const bool optional = (type[0] & 0x20) != 0;
    if (!optional && std::find(kCritical.begin(), kCritical.end(), type) == kCritical.end())
      return "it is damaged: it has a chunk that is not valid in a PNG";
    if (text.size() - at - kLength - kType < length + kChecksum) break;
    if (type == "IEND") return "it is damaged: its pixels cannot be decompressed";
    at += kLength + kType + length + kChecksum;
  }
  return "it is truncated: it ends before its pixels do";
}

// The next number of a PPM header, after white space and comments; −1: there is none.
std::int64_t header_number(std::string_view text, std::size_t& at) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (at < text.size() && (is_space(text[at]) || text[at] == '#')) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
    if (at < text.size()) ++at;
  }
  std::int64_t number = -1;
  constexpr std::int64_t kEnough = 1'000'000;  // beyond any size or maxval that is read
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = std::min(kEnough, std::max<std::int64_t>(number, 0) * 10 + (text[at] - '0'));
  return number;
}

// source: netpbm, ppm(5).
Result<Picture> parse_ppm(std::string_view text, const std::string& name) {
  std::size_t at = 2;
  Picture picture;
  picture.channels = 3;
  picture.columns = header_number(text, at);
  picture.rows = header_number(text, at);
  const std::int64_t maxval = header_number(text, at);
  if (picture.columns < 1 || picture.rows < 1 || picture.columns > kMostSide ||
      picture.rows > kMostSide) {
    return refuse(name, "its header has no size of 1 to 16384 pixels per side",
                  "export the picture again");
  }
  if (maxval > 255)
    return refuse(name, "its channels have 16 bits", "convert it to 8 bits a channel");
  if (maxval != 255) return refuse(name, "its maxval is not 255", "convert it to 8 bits a channel");
  ++at;  // one white space ends the header
  if (picture.rows * picture.columns > kMostPixels) return too_many_pixels(name, picture);
  const auto needed = static_cast<std::size_t>(3 * picture.rows * picture.columns);
  const std::size_t found = text.size() - std::min(at, text.size());
  if (found < needed) {
    return refuse(name,
                  "it is truncated: " + std::to_string(found) + " bytes of pixels, expected " +
                      std::to_string(needed),
                  "copy or export it again");
  }
  picture.pixels.assign(text.begin() + static_cast<std::ptrdiff_t>(at),
                        text.begin() + static_cast<std::ptrdiff_t>(at + needed));
  return picture;
}

std::int64_t value_file_bytes(const Shape& s) { return s.values() * s.value_bytes; }
std::int64_t position_file_bytes(const Shape& s) { return s.blocks() * 8; }

}  // namespace

Result<Picture> parse_picture(std::span<const std::byte> bytes, const std::string& name) {
  if (static_cast<std::int64_t>(bytes.size()) > kMostFileBytes)
    return refuse(name, "the file is over 135 MB", "give a smaller picture");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("P6")) return parse_ppm(text, name);
  const auto* const data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  int columns = 0, rows = 0, channels = 0;
  if (stbi_info_from_memory(data, size, &columns, &rows, &channels) == 0)
    return refuse(name, "this is neither a PNG nor a binary PPM (P6)", "convert it to one of them");
  if (stbi_is_16_bit_from_memory(data, size) != 0)
    return refuse(name, "its channels have 16 bits", "convert it to 8 bits a channel");
  if (columns < 1 || rows < 1 || columns > kMostSide || rows > kMostSide) {
    return refuse(name, "its size is " + size_text(rows, columns),
                  "give a picture of at most 16384 pixels a side");
  }
  Picture picture{rows, columns, channels, {}};
  if (picture.rows * picture.columns > kMostPixels) return too_many_pixels(name, picture);
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(data, size, &columns, &rows, &channels, 0), stbi_image_free);
  if (pixels == nullptr) {
    return refuse(name, defect_of_png(text), "copy or export it again");
  }
  picture.channels = channels;
  picture.pixels.assign(pixels.get(), pixels.get() + picture.rows * picture.columns * channels);
  return picture;
}

bool natural_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto digit = [](const std::string& s, std::size_t at) {
    return at < s.size() && std::isdigit(static_cast<unsigned char>(s[at])) != 0;
  };
  while (i < a.size() && j < b.size()) {
    if (!digit(a, i) || !digit(b, j)) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (digit(a, i) && a[i] == '0') ++i;
    while (digit(b, j) && b[j] == '0') ++j;
    const std::size_t first_a = i, first_b = j;
    while (digit(a, i)) ++i;
    while (digit(b, j)) ++j;
    if (i - first_a != j - first_b) return i - first_a < j - first_b;
    const int order = a.compare(first_a, i - first_a, b, first_b, j - first_b);
    if (order != 0) return order < 0;
  }
  if ((i == a.size()) != (j == b.size())) return i == a.size();
  return a < b;  // equal but for zeros in front
}

Result<std::vector<fs::path>> picture_files(const std::string& text) {
  std::vector<fs::path> files;
  if (text.empty()) {
    return failure(ErrorKind::input, "no file of frames is given", "axis frame_files",
                   "name a folder, a file, or several separated by ';'");
  }
  if (Result<void> admitted = admit_path(text); !admitted) return tl::unexpected(admitted.error());
  std::error_code error;
  if (fs::is_directory(text, error)) {
    fs::directory_iterator entries(text, error);
    for (const fs::directory_iterator end; !error && entries != end; entries.increment(error)) {
      if (is_picture(entries->path())) files.push_back(entries->path());
    }
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
      return natural_before(a.filename().string(), b.filename().string());
    });
    if (files.empty()) {
      return failure(ErrorKind::input, "the folder has no .png or .ppm files", text,
                     "name a folder of frames");
    }
    return files;
  }
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(';', first), text.size());
    if (end > first) files.emplace_back(text.substr(first, end - first));
    first = end + 1;
  }
  for (const fs::path& file : files) {
    if (Result<InputFile> there = InputFile::open(file, kMostFileBytes); !there)
      return tl::unexpected(there.error());
  }
  if (files.empty()) {
    return failure(ErrorKind::input, "no file of frames is given", text, "name a file");
  }
  return files;
}

Result<std::vector<std::uint8_t>> plane_of(const Picture& picture, std::int64_t channel,
                                           std::int64_t channels, std::int64_t rows,
                                           std::int64_t columns) {
  const bool grey = picture.channels < 3, luma = channels == 1 && !grey;
  const bool alpha = channels == 4 && channel == 3;
  if (alpha && picture.channels != 2 && picture.channels != 4) {
    return failure(ErrorKind::input, "the picture has no alpha channel", "axis channels",
                   "set channels to 3, or give pictures with alpha");
  }
  const std::int64_t from = alpha ? picture.channels - 1 : grey ? 0 : channel;
  const auto value_at = [&](std::int64_t row, std::int64_t column) {
    const std::uint8_t* const pixel =
        picture.pixels.data() + (row * picture.columns + column) * picture.channels;
    return luma ? 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                : static_cast<double>(pixel[from]);
  };
  // Pixel centres map to pixel centres; beyond the border the border repeats.
  const auto source = [](std::int64_t i, std::int64_t to, std::int64_t of) {
    return std::clamp(
        (static_cast<double>(i) + 0.5) * static_cast<double>(of) / static_cast<double>(to) - 0.5,
        0.0, static_cast<double>(of - 1));
  };
  std::vector<std::uint8_t> plane(static_cast<std::size_t>(rows * columns));
  std::size_t i = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double y = source(row, rows, picture.rows);
    const auto top = static_cast<std::int64_t>(y);
    const std::int64_t bottom = std::min(top + 1, picture.rows - 1);
    const double down = y - static_cast<double>(top);
    for (std::int64_t column = 0; column < columns; ++column, ++i) {
      const double x = source(column, columns, picture.columns);
      const auto left = static_cast<std::int64_t>(x);
      const std::int64_t right = std::min(left + 1, picture.columns - 1);
      const double across = x - static_cast<double>(left);
      const double upper = value_at(top, left) * (1 - across) + value_at(top, right) * across;
      const double lower = value_at(bottom, left) * (1 - across) + value_at(bottom, right) * across;
      plane[i] = static_cast<std::uint8_t>(std::lround(upper * (1 - down) + lower * down));
    }
  }
  return plane;
}

Result<void> read_frames(const Configuration& axes, Inputs& inputs) {
  const Shape s = shape_of(axes);
  const Result<std::vector<fs::path>> files = picture_files(axes.text("frame_files"));
  if (!files) return tl::unexpected(files.error());
  const auto count = static_cast<std::int64_t>(files->size());
  const std::int64_t size = s.height * s.width;
  HostArray array(integers(axes) ? ElementType::u8 : ElementType::f32, s.pixels());
  for (std::int64_t file = 0; file < std::min(count, s.frames); ++file) {
    const fs::path& path = (*files)[static_cast<std::size_t>(file)];
    const auto bytes = read_whole(path, kMostFileBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    const Result<Picture> picture = parse_picture(*bytes, path.string());
    if (!picture) return tl::unexpected(picture.error());
    if ((picture->rows != s.height || picture->columns != s.width) &&
        axes.text("fit") != "bilinear") {
      return failure(ErrorKind::input,
                     "the picture is " + size_text(picture->rows, picture->columns) +
                         ", expected " + size_text(s.height, s.width),
                     path.string(),
                     "set height and width to that size, or the axis fit to bilinear");
    }
    for (std::int64_t c = 0; c < s.channels; ++c) {
      const auto plane = plane_of(*picture, c, s.channels, s.height, s.width);
      if (!plane) return tl::unexpected(plane.error());
      for (std::int64_t f = file; f < s.frames; f += count) {
        const auto first = static_cast<std::ptrdiff_t>((f * s.channels + c) * size);
        if (integers(axes)) {
          std::copy(plane->begin(), plane->end(), array.as<std::uint8_t>().begin() + first);
        } else {
          std::transform(plane->begin(), plane->end(), array.as<float>().begin() + first,
                         [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; });
        }
      }
    }
  }
  inputs["frames"] = std::move(array);
  return {};
}

Result<std::vector<std::byte>> read_raw(const Configuration& axes, const char* name,
                                        std::int64_t bytes) {
  if (Result<void> checked = check_raw(axes, name, bytes); !checked)
    return tl::unexpected(checked.error());
  return read_whole(raw_path(axes, name), bytes);
}

Result<void> admit_files(const Configuration& axes) {
  const Shape s = shape_of(axes);
  if (axes.text("picture") == "files") {
    if (const auto files = picture_files(axes.text("frame_files")); !files)
      return tl::unexpected(files.error());
  }
  if (axes.text("patterns") != "raw files") return {};
  return check_raw(axes, "values.raw", value_file_bytes(s)).and_then([&] {
    return check_raw(axes, "positions.raw", position_file_bytes(s));
  });
}

}  // namespace warpscope::led
