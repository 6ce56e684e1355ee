// profiling/capture/capture_fork.cpp: a folder in which a captured kernel is edited.
#include "profiling/capture/capture_fork.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <system_error>

#include "profiling/capture/capture_scene.h"
#include "profiling/capture/reader.h"
#include "profiling/listings/kernel_name.h"
#include "scenes/base/source.h"
#include "scenes/file_scene.h"
#include "scenes/folder/folder_model.h"
#include "scenes/folder/form/description_edits.h"
#include "scenes/folder_file.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
constexpr const char* kParent = "as_captured";
constexpr const char* kCopy = "as_captured_fork";
constexpr int kMostBlock = 1024;  // source: CUDA C++ Programming Guide, technical specifications

Error refused(std::string what, std::string where, std::string remedy) {
  return {ErrorKind::usage, std::move(what), std::move(where), std::move(remedy)};
}

bool is_word(const std::string& text, const std::string& word) {
  const auto of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !of_name(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !of_name(text[end]))) return true;
  }
  return false;
}

// "layernorm" of "net::layernorm<float, 256>".
std::string bare_name(const std::string& name) {
  const std::string plain = without_template_arguments(name);
  const std::size_t colon = plain.rfind("::");
  return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

// The kernel in the text. error: usage: there is none of the captured one's name.
Result<std::string> entry_in(const Capture& capture, const std::vector<KernelSource>& texts,
                             const CaptureForkWish& wish) {
  if (!wish.entry.empty()) return wish.entry;
  const std::string name = kernel_name_of(capture.symbol).name;
  const bool there = std::any_of(texts.begin(), texts.end(), [&](const KernelSource& text) {
    return is_word(text.text, bare_name(name)) || is_word(text.text, capture.symbol);
  });
  if (there) return fs::path(wish.source).extension() == ".ptx" ? capture.symbol : name;
  return tl::unexpected(refused("it has no kernel “" + bare_name(name) + "”", wish.source,
                                "name its kernel with --entry"));
}

// A macro as an axis and as a key of `define`.
struct DefinedAxis {
  std::string table, define;
};

Result<DefinedAxis> defined_axis(const std::string& words) {
  const std::size_t equals = words.find('=');
  const std::string name = words.substr(0, equals);
  const std::string values = equals == std::string::npos ? "" : words.substr(equals + 1);
  if (!folder::is_name(name) || values.empty())
    return tl::unexpected(refused("“" + words + "” is not NAME=VALUE", "--define",
                                  "write, for example, --define ROWS=4"));
  DefinedAxis axis;
  axis.define = name + " = " + toml_text(name);
  axis.table =
      "[axes." + name + "]\nbinds = \"compile_time\"\nof_variants = [" + toml_text(kCopy) + "]\n";
  const bool whole =
      values.find_first_not_of("0123456789") == std::string::npos && values.size() < 10;
  if (whole) {
    const long long value = std::stoll(values);
    axis.table += "default = " + values + "\nrange = [" + (value == 0 ? "0" : "1") + ", " +
                  std::to_string(std::max(1024LL, 16 * value)) + "]\n" +
                  (value == 0 ? "" : "scale = \"log\"\n");
    return axis;
  }
  axis.table += "kind = \"choice\"\nchoices = [";
  std::istringstream parts(values);
  bool first = true;
  for (std::string part; std::getline(parts, part, ','); first = false)
    axis.table += (first ? "" : ", ") + toml_text(part);
  axis.table += "]\n";
  return axis;
}

// The lines of the captured variant, from its table's head on.
std::vector<std::string> lines_of_variant(const std::string& description) {
  std::vector<std::string> lines;
  std::istringstream text(description);
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("[")) inside = line == std::string("[variants.") + kParent + "]";
    if (inside && !line.starts_with("[")) lines.push_back(line);
  }
  return lines;
}

std::string key_of(const std::string& line) { return line.substr(0, line.find(' ')); }

// Constants that the copy's text has: others are of the program's module alone.
std::string constants_of(const std::string& line, const std::vector<KernelSource>& texts) {
  std::string kept;
  std::size_t at = line.find('{') + 1;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(", \"", at), line.find(" }", at));
    if (end == std::string::npos) break;
    const std::string pair = line.substr(at, end - at);
    const std::size_t open = pair.find('"'), close = pair.find('"', open + 1);
    if (open == std::string::npos || close == std::string::npos) break;
    const std::string name = bare_name(demangled(pair.substr(open + 1, close - open - 1)));
    const bool there = std::any_of(texts.begin(), texts.end(), [&](const KernelSource& text) {
      return is_word(text.text, name);
    });
    if (there) kept += (kept.empty() ? "" : ", ") + toml_text(name) + pair.substr(close + 1);
    at = end + 2;
  }
  return kept.empty() ? "" : "constants = { " + kept + " }\n";
}

std::string block_axis(const Capture& capture, BlockAxis kind, std::string& launch) {
  if (kind == BlockAxis::none) return "";
  const Dim3 &grid = capture.launch.grid, &block = capture.launch.block;
  const std::string rest = ", " + std::to_string(grid.y) + ", " + std::to_string(grid.z) + "]\n";
  const std::string grid_x = kind == BlockAxis::threads
                                 ? "\"ceil_div(" + std::to_string(grid.x * block.x) + ", block)\""
                                 : std::to_string(grid.x);
  launch = "grid = [" + grid_x + rest + "block = [\"block\", " + std::to_string(block.y) + ", " +
           std::to_string(block.z) + "]\n";
  return "[axes.block]\nlabel = \"threads per block\"\nbinds = \"launch_shape\"\nof_variants = [" +
         toml_text(kCopy) + "]\ndefault = " + std::to_string(block.x) + "\nrange = [1, " +
         std::to_string(kMostBlock) + "]\nstops = [32, 64, 128, 256, 512, 1024]\n" +
         "scale = \"log\"\n";
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  // TOML's numbers with a fraction have a point or an exponent.
  return std::string(text).find_first_of(".e") == std::string::npos ? std::string(text) + ".0"
                                                                    : text;
}

std::string capture_line(const std::string& file, const CaptureForkWish& wish) {
  if (wish.elements.empty()) return "capture = " + toml_text(file) + "\n";
  std::string line =
      "capture = { file = " + toml_text(file) + ", elements = " + toml_text(wish.elements);
  if (wish.relative != 0 || wish.absolute != 0)
    line += ", tolerance = " + number_text(wish.relative) +
            ", absolute = " + number_text(wish.absolute);
  return line + " }\n";
}

struct Texts {
  std::vector<KernelSource> all;  // the first is the kernel's
  std::string name;               // of that in the folder
};

Result<Texts> texts_of(const CaptureFile& file, const CaptureForkWish& wish) {
  if (!wish.source.empty()) {
    Result<std::vector<KernelSource>> read = read_own_kernel(wish.source);
    if (!read) return tl::unexpected(read.error());
    const std::string name = fs::path(wish.source).filename().string();
    return Texts{std::move(*read), name};
  }
  Result<std::string> ptx = file.ptx();
  if (!ptx) return tl::unexpected(ptx.error());
  if (ptx->empty())
    return tl::unexpected(refused("the capture has no PTX to edit", file.path(),
                                  "name the kernel's text with --source"));
  const std::string name = std::string("edited.ptx");
  return Texts{{kernel_source(name, std::move(*ptx))}, name};
}

Result<std::string> description_of(const CaptureFile& file, const SceneText& scene,
                                   const Texts& texts, const CaptureForkWish& wish,
                                   const std::string& file_name) {
  const Result<std::string> entry = wish.source.empty() ? Result<std::string>(file.capture().symbol)
                                                        : entry_in(file.capture(), texts.all, wish);
  if (!entry) return entry;
  std::string launch, axes = block_axis(file.capture(), wish.block, launch), define;
  for (const std::string& words : wish.defines) {
    const Result<DefinedAxis> axis = defined_axis(words);
    if (!axis) return tl::unexpected(axis.error());
    axes += axis->table;
    define += (define.empty() ? "" : ", ") + axis->define;
  }
  std::string variant = std::string("[variants.") + kCopy +
                        "]\nlabel = \"fork of as captured\"\n"
                        "sentence = \"A copy of the program's kernel, to be changed.\"\n"
                        "source = " +
                        toml_text(texts.name) + "\nentry = " + toml_text(*entry) + "\n" + launch;
  if (!define.empty()) variant += "define = { " + define + " }\n";
  for (const std::string& line : lines_of_variant(scene.description)) {
    const std::string key = key_of(line);
    if (key == "label" || key == "sentence" || key == "source" || key == "entry") continue;
    if (!launch.empty() && (key == "grid" || key == "block")) continue;
    variant += key == "constants" ? constants_of(line, texts.all) : line + "\n";
  }
  return "# A fork of a captured launch: edit " + texts.name +
         " and save. The launch's arguments, its memory and what it\n# must leave there come from "
         "the capture.\n" +
         capture_line(file_name, wish) + axes + variant;
}

}  // namespace

Result<Fork> fork_capture(const std::string& capture, const CaptureForkWish& wish) {
  const Result<CaptureFile> file = CaptureFile::open(capture);
  if (!file) return tl::unexpected(file.error());
  const std::string name = scene_name_of(capture);
  if (wish.to.empty() && user_scene_folder().empty())
    return tl::unexpected(
        refused("there is no folder for the copy: HOME is not set", "", "name a folder with --to"));
  std::error_code failed;
  const fs::path to =
      fs::absolute(wish.to.empty() ? user_scene_folder() / (name + "_fork") : wish.to, failed)
          .lexically_normal();
  if (fs::exists(to, failed))
    return tl::unexpected(refused("the folder exists already and is not overwritten", to.string(),
                                  "give another one with --to, or move it away"));
  if (!folder::is_name(to.filename().string()))
    return tl::unexpected(
        refused("“" + to.filename().string() + "” is not a valid name for a scene", to.string(),
                "give --to a folder of letters, digits, _ and -"));
  const Result<SceneText> scene =
      capture_scene(capture, name, {wish.elements, wish.relative, wish.absolute, true});
  if (!scene) return tl::unexpected(scene.error());
  const Result<Texts> texts = texts_of(*file, wish);
  if (!texts) return tl::unexpected(texts.error());
  const std::string file_name = name + ".wcap";
  const Result<std::string> description = description_of(*file, *scene, *texts, wish, file_name);
  if (!description) return tl::unexpected(description.error());

  Fork made{to, kCopy, {texts->name}, true};
  fs::create_directories(to, failed);
  if (!failed) fs::copy_file(capture, to / file_name, failed);
  if (failed) {
    take_back(made);
    return failure(ErrorKind::environment, "the folder cannot be made: " + failed.message(),
                   to.string(), "name a folder that you may write to with --to");
  }
  for (std::size_t i = 0; i < texts->all.size(); ++i) {
    const std::string path = i == 0 ? texts->name : texts->all[i].path;
    if (!inner_path(path)) continue;  // a header elsewhere stays there
    fs::create_directories((to / path).parent_path(), failed);
    Result<void> written = write_in_folder(to, path, texts->all[i].text);
    if (!written) {
      take_back(made);
      return tl::unexpected(written.error());
    }
    if (i > 0) made.files.push_back(path);
  }
  if (Result<void> written = write_in_folder(to, kDescriptionFile, *description); !written) {
    take_back(made);
    return tl::unexpected(written.error());
  }
  return made;
}

}  // namespace warpscope
