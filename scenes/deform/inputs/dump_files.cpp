// scenes/deform/inputs/dump_files.cpp: inputs of `deform` from raw dumps, under either set of file
// names.
#include "scenes/deform/inputs/dump_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "scenes/host/input_file.h"

namespace warpscope::deform {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostFileBytes = 1LL << 34;
constexpr std::int64_t kHalfBytes = 2, kLongBytes = 8;
constexpr std::size_t kMostLevels = 5;
constexpr std::int64_t kMostSide = 512;

// The files of a dump: its first names, and the others.
struct FileNames {
  const char *array, *first, *other;
};
constexpr std::array<FileNames, 5> kFiles = {{
    {"value", "value.bin", "value_data.bin"},
    {"shapes", "spatial_shapes.bin", "spatial_shapes_data.bin"},
    {"starts", "level_start_index.bin", "level_start_index_data.bin"},
    {"loc", "sampling_locations.bin", "sampling_loc_data.bin"},
    {"weight", "attention_weights.bin", "attn_weight_data.bin"},
}};

tl::unexpected<Error> refuse(std::string what, const fs::path& where, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), where.string(), std::move(remedy));
}

// The file of every array, all under names of one set.
Result<std::array<fs::path, kFiles.size()>> files_of(const Configuration& axes) {
  const fs::path folder = axes.text("dump_folder");
  if (folder.empty()) {
    return failure(ErrorKind::input, "no folder of a dump is named", "axis dump_folder",
                   "name a folder that holds value.bin or value_data.bin");
  }
  if (Result<void> admitted = admit_path(folder.string()); !admitted)
    return tl::unexpected(admitted.error());
  std::error_code error;
  std::size_t firsts = 0, others = 0;
  for (const FileNames& names : kFiles) {
    firsts += fs::exists(folder / names.first, error) ? 1 : 0;
    others += fs::exists(folder / names.other, error) ? 1 : 0;
  }
  const auto has = [&](const char* name) { return fs::exists(folder / name, error); };
  if (firsts > 0 && others > 0) {
    std::string list;
    for (const FileNames& names : kFiles) {
      for (const char* name : {names.first, names.other})
        if (has(name)) list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return refuse("the folder mixes two sets of names: " + list, folder,
                  "keep the files of one dump");
  }
  std::array<fs::path, kFiles.size()> files;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const char* const name = others > 0 ? kFiles[i].other : kFiles[i].first;
    files[i] = folder / name;
    if (!has(name)) {
      return refuse("the dump has no file " + std::string(name), folder,
                    "a dump has five files: values, shapes, starts, locations and weights");
    }
  }
  return files;
}

const fs::path& file_of(const std::array<fs::path, kFiles.size()>& files, const std::string& name) {
  const auto at = std::find_if(kFiles.begin(), kFiles.end(),
                               [&](const FileNames& each) { return each.array == name; });
  return files[static_cast<std::size_t>(at - kFiles.begin())];
}

Result<void> read_into(std::span<std::byte> bytes, const fs::path& path) {
  Result<InputFile> file = InputFile::open(path, kMostFileBytes);
  if (!file) return tl::unexpected(file.error());
  const auto expected = static_cast<std::int64_t>(bytes.size());
  if (file->bytes() != expected) {
    return refuse("the file has " + std::to_string(file->bytes()) + " bytes, expected " +
                      std::to_string(expected),
                  path, "check the axes batch, heads, channels and points");
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const Result<std::size_t> count =
        file->read(reinterpret_cast<char*>(bytes.data()) + done, bytes.size() - done);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return refuse("the file ended while it was read", path, "write it again");
    done += *count;
  }
  return {};
}

Result<std::int64_t> length_of(const fs::path& path) {
  if (Result<void> admitted = admit_path(path.string()); !admitted)
    return tl::unexpected(admitted.error());
  const Result<InputFile> file = InputFile::open(path, kMostFileBytes);
  if (!file) return tl::unexpected(file.error());
  return file->bytes();
}

// How often `unit` bytes fit a file, with nothing left over.
Result<std::int64_t> count_of(const fs::path& path, std::int64_t unit, const char* what) {
  const Result<std::int64_t> bytes = length_of(path);
  if (!bytes) return tl::unexpected(bytes.error());
  if (*bytes == 0 || *bytes % unit != 0) {
    return refuse("the file has " + std::to_string(*bytes) + " bytes, expected a multiple of " +
                      std::to_string(unit) + ": " + what,
                  path, "check the axes batch, heads, channels and points");
  }
  return *bytes / unit;
}

Result<std::vector<std::int64_t>> numbers_of(const fs::path& path, std::int64_t multiple) {
  const Result<std::int64_t> rows = count_of(path, kLongBytes * multiple, "numbers of 8 bytes");
  if (!rows) return tl::unexpected(rows.error());
  if (*rows > static_cast<std::int64_t>(kMostLevels)) {
    return refuse("the file has " + std::to_string(*rows) + " levels, at most " +
                      std::to_string(kMostLevels) + " are taken",
                  path, "dump fewer levels");
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(*rows * multiple));
  if (Result<void> read = read_into(std::as_writable_bytes(std::span(numbers)), path); !read)
    return tl::unexpected(read.error());
  return numbers;
}

// Elements of `value` without rings.
std::int64_t bare_values(const Shape& s) {
  std::int64_t pixels = 0;
  for (const Level& level : s.levels) pixels += level.height * level.width;
  return s.batch * pixels * s.heads * s.channels;
}

// The same values with a ring of zeros around every level.
HostArray ringed(const Shape& s, const HostArray& bare) {
  HostArray made(ElementType::f16, s.values());
  const std::int64_t pixel = kHalfBytes * s.heads * s.channels;
  const std::span<const std::byte> from = bare.bytes();
  const std::span<std::byte> to = made.bytes();
  std::fill(to.begin(), to.end(), std::byte{0});
  std::int64_t read = 0;
  for (std::int64_t image = 0; image < s.batch; ++image) {
    for (const Level& level : s.levels) {
      for (std::int64_t row = 1; row <= level.height; ++row) {
        const std::int64_t at = image * s.rows + level.first_row + row * level.columns() + 1;
        const std::int64_t bytes = level.width * pixel;
        std::copy_n(from.begin() + read, bytes, to.begin() + at * pixel);
        read += bytes;
      }
    }
  }
  return made;
}

std::string list_of(const std::vector<Level>& levels) {
  std::string list;
  for (const Level& level : levels)
    list += (list.empty() ? "" : ",") + std::to_string(level.height) + "," +
            std::to_string(level.width);
  return list;
}

}  // namespace

Result<std::vector<Level>> levels_of_dump(std::span<const std::int64_t> shapes,
                                          std::span<const std::int64_t> starts, std::int64_t rows) {
  const auto refused = [](std::string what, const char* remedy) {
    return failure(ErrorKind::input, std::move(what), "levels of the dump", remedy);
  };
  if (starts.empty() || shapes.size() != 2 * starts.size()) {
    return refused(std::to_string(shapes.size()) + " sizes and " + std::to_string(starts.size()) +
                       " starts: each level has a height, a width and a start",
                   "dump both from the same call");
  }
  std::vector<Level> levels;
  std::int64_t padded = 0, bare = 0;
  bool with_rings = true, without = true;  // whether the starts so far fit
  for (std::size_t l = 0; l < starts.size(); ++l) {
    const Level level{shapes[2 * l], shapes[2 * l + 1], padded};
    const auto is_side = [](std::int64_t side) { return side >= 1 && side <= kMostSide; };
    if (!is_side(level.height) || !is_side(level.width)) {
      return refused("level " + std::to_string(l) + " is " + std::to_string(level.height) + "×" +
                         std::to_string(level.width) + ", expected 1 to 512 pixels per side",
                     "shapes are pairs of height and width as 8-byte integers");
    }
    with_rings = with_rings && starts[l] == padded;
    without = without && starts[l] == bare;
    if (!with_rings && !without) {
      return refused("level " + std::to_string(l) + " begins at row " + std::to_string(starts[l]) +
                         ", expected " + std::to_string(padded) +
                         " with a ring of one pixel around every level, or " +
                         std::to_string(bare) + " without rings",
                     "dump shapes, starts and values of the same call");
    }
    levels.push_back(level);
    padded += level.rows();
    bare += level.height * level.width;
  }
  if (!(with_rings && rows == padded) && !(without && rows == bare)) {
    return refused("an image has " + std::to_string(rows) + " rows of values, expected " +
                       std::to_string(padded) + " with a ring of one pixel around every level, " +
                       "or " + std::to_string(bare) + " without rings",
                   "dump shapes, starts and values of the same call");
  }
  return levels;
}

Result<Configuration> settle(const Configuration& axes) {
  if (!from_dump(axes)) return axes;
  if (axes.text("dtype") != "fp16") {
    return failure(ErrorKind::input, "a dump holds f16, but the axis says " + axes.text("dtype"),
                   "axis dtype", "set dtype to fp16");
  }
  const auto files = files_of(axes);
  if (!files) return tl::unexpected(files.error());
  const auto shapes = numbers_of(file_of(*files, "shapes"), 2);
  if (!shapes) return tl::unexpected(shapes.error());
  const auto starts = numbers_of(file_of(*files, "starts"), 1);
  if (!starts) return tl::unexpected(starts.error());
  const std::int64_t batch = axes.integer("batch"), heads = axes.integer("heads");
  const auto rows =
      count_of(file_of(*files, "value"), kHalfBytes * batch * heads * axes.integer("channels"),
               "a row of all images and heads has its channels of 2 bytes");
  if (!rows) return tl::unexpected(rows.error());
  const auto levels = levels_of_dump(*shapes, *starts, *rows);
  if (!levels) return tl::unexpected(levels.error());
  const std::int64_t query_samples =
      batch * heads * static_cast<std::int64_t>(levels->size()) * axes.integer("points");
  const auto queries = count_of(file_of(*files, "weight"), kHalfBytes * query_samples,
                                "a query of all images and heads has its samples of 2 bytes");
  if (!queries) return tl::unexpected(queries.error());
  const auto loc_bytes = length_of(file_of(*files, "loc"));
  if (!loc_bytes) return tl::unexpected(loc_bytes.error());
  const std::int64_t expected = 2 * kHalfBytes * query_samples * *queries;
  if (*loc_bytes != expected) {
    return refuse("the file has " + std::to_string(*loc_bytes) + " bytes, expected " +
                      std::to_string(expected) + ": an x and a y for each of the weights of " +
                      std::to_string(*queries) + " queries",
                  file_of(*files, "loc"), "dump both from the same call");
  }
  if (has_expected(axes)) {
    const fs::path path = axes.text("expected_file");
    const auto bytes = length_of(path);
    if (!bytes) return tl::unexpected(bytes.error());
    const std::int64_t outputs = batch * *queries * heads * axes.integer("channels");
    if (*bytes != kHalfBytes * outputs) {
      return refuse("the file has " + std::to_string(*bytes) + " bytes, expected " +
                        std::to_string(kHalfBytes * outputs) + ": the channels of " +
                        std::to_string(*queries) + " queries of each image and head",
                    path, "dump the output of the same call, as f16");
    }
  }
  Configuration settled = axes;
  settled.set("level_sizes", std::string("list"));
  settled.set("level_list", list_of(*levels));
  settled.set("queries", *queries);
  return settled;
}

Result<void> read_dump(const Configuration& axes, const std::string& array, Inputs& inputs) {
  const auto files = files_of(axes);
  if (!files) return tl::unexpected(files.error());
  const Shape s = shape_of(axes);
  if (array == "value") {
    const fs::path& path = file_of(*files, array);
    const Result<std::int64_t> bytes = length_of(path);
    if (!bytes) return tl::unexpected(bytes.error());
    HostArray bare(ElementType::f16, bare_values(s));
    if (*bytes == bare.size_bytes()) {
      if (Result<void> read = read_into(bare.bytes(), path); !read) return read;
      inputs[array] = ringed(s, bare);
      return {};
    }
  }
  const std::int64_t count = array == "value" ? s.values()
                             : array == "loc" ? 2 * s.samples()
                                              : s.samples();
  HostArray made(ElementType::f16, count);
  if (Result<void> read = read_into(made.bytes(), file_of(*files, array)); !read) return read;
  inputs[array] = std::move(made);
  return {};
}

Result<void> read_expected(const Configuration& axes, Inputs& inputs) {
  HostArray array(ElementType::f16, shape_of(axes).outputs());
  const std::string& path = axes.text("expected_file");
  if (Result<void> admitted = admit_path(path); !admitted) return admitted;
  if (Result<void> read = read_into(array.bytes(), path); !read) return read;
  inputs["expected"] = std::move(array);
  return {};
}

}  // namespace warpscope::deform
