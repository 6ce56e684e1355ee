// scenes/file_scene.cpp: a kernel's file as a scene by itself.
#include "scenes/file_scene.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "scenes/base/texts/machine_code.h"
#include "scenes/first_description.h"
#include "scenes/host/write_file.h"
#include "scenes/ptx_description.h"
#include "scenes/read_folder.h"

namespace warpscope {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCaptureKind = ".wcap";

bool is_text(const fs::path& path) {
  const fs::path kind = path.extension();
  return kind == ".cu" || kind == ".cuh" || kind == ".ptx";
}

}  // namespace

bool has_scene_ending(const fs::path& path) {
  return is_text(path) || path.extension() == kCaptureKind;
}

bool is_scene_file(const fs::path& path) {
  std::error_code ignored;
  return has_scene_ending(path) && fs::is_regular_file(path, ignored);
}

bool is_capture_file(const fs::path& path) {
  return path.extension() == kCaptureKind && is_scene_file(path);
}

std::string scene_name_of(const fs::path& file) {
  constexpr std::size_t kMostCharacters = 60;
  std::string name;
  for (const char c : file.stem().string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    name += plain && (c != '-' || !name.empty()) ? c : '_';
  }
  return name.substr(0, kMostCharacters);
}

namespace {

// A file's texts, and what a scene would say of them.
struct Described {
  std::vector<KernelSource> sources;
  std::vector<std::string> names;  // of the first ones in the scene's folder
  Result<std::string> description;
};

Result<SceneText> captured_scene(const fs::path& file, const std::string& name,
                                 const DescriptionEdits& edits, const FileReaders& readers) {
  Result<SceneText> text = read_capture(readers, file.string(), name);
  if (!text || edits.empty()) return text;
  text->description = edited(text->description, edits);
  text->hash = scene_hash(*text);
  return text;
}

Result<Described> described_text(const fs::path& file) {
  Result<std::vector<KernelSource>> sources = read_own_kernel(file.string());
  if (!sources) return tl::unexpected(sources.error());
  const std::string kind = file.extension().string(), own = scene_name_of(file) + kind;
  const std::string& text = sources->front().text;
  Result<std::string> description =
      kind == ".ptx" ? ptx_description({{own, text}}, file.filename().string())
                     : first_description(text, file.filename().string(), header_texts(*sources));
  // Kernels may all be in headers, the program in the file.
  if (!description && kind != ".ptx" && sources->size() > 1) {
    if (auto with_headers = first_description(joined_text(*sources), file.filename().string()))
      description = std::move(with_headers);
  }
  return Described{std::move(*sources), {own}, std::move(description)};
}

Result<Described> described_compiled(const fs::path& file, const FileReaders& readers) {
  if (readers.compiled == nullptr)
    return failure(ErrorKind::input, "it is neither a .cu file nor PTX", file.string(),
                   "name a .cu or a .ptx file");
  const Result<CompiledTexts> texts = readers.compiled(file);
  if (!texts) return tl::unexpected(texts.error());
  Described all;
  std::vector<PtxText> named;
  for (const CompiledText& text : texts->texts) {
    const bool is_ptx = text.machine_code.empty();
    const std::string number = named.empty() ? "" : "_" + std::to_string(named.size() + 1);
    named.push_back(
        {scene_name_of(file) + number + (is_ptx ? ".ptx" : kMachineCodeSuffix), text.ptx});
    all.sources.push_back(kernel_source(named.back().file, is_ptx ? text.ptx : text.machine_code));
    all.names.push_back(named.back().file);
  }
  all.description = ptx_description(named, file.filename().string(), texts->left_out);
  return all;
}

}  // namespace

Result<SceneText> read_capture(const FileReaders& readers, const std::string& path,
                               const std::string& name, const CaptureElements& elements) {
  if (readers.capture != nullptr) return readers.capture(path, name, elements);
  return failure(ErrorKind::input, "captures are not read here", path, "name a .cu or a .ptx file");
}

Result<SceneText> read_scene_file(const fs::path& file, const std::string& name,
                                  const DescriptionEdits& edits, const FileReaders& readers) {
  if (file.extension() == kCaptureKind) return captured_scene(file, name, edits, readers);
  const bool text_of_person = is_text(file);
  Result<Described> described =
      text_of_person ? described_text(file) : described_compiled(file, readers);
  if (!described) return tl::unexpected(described.error());
  std::vector<KernelSource>& sources = described->sources;
  Result<std::string>& description = described->description;
  if (!description) {
    Error error = description.error();
    error.where = file.string();
    return tl::unexpected(std::move(error));
  }
  SceneText text;
  text.name = name;
  text.file = file.string();
  text.description = edits.empty() ? std::move(*description) : edited(*description, edits);
  text.sources = std::move(sources);
  for (std::size_t i = 0; i < described->names.size(); ++i)
    text.sources[i].path = name + "/" + described->names[i];
  if (Result<void> read = read_scene_data(file.parent_path(), text); !read)
    return tl::unexpected(read.error());
  text.hash = scene_hash(text);
  return text;
}

namespace {

// The name that a text has in the folder; empty: it lies elsewhere.
fs::path name_in_folder(const SceneText& text, const KernelSource& source) {
  const std::string own = text.name + "/";
  const fs::path name = source.path.starts_with(own) ? source.path.substr(own.size()) : source.path;
  const bool above = std::find(name.begin(), name.end(), "..") != name.end();
  return name.is_absolute() || above ? fs::path() : name;
}

}  // namespace

Result<fs::path> write_scene_folder(const SceneText& text, const fs::path& folder) {
  std::vector<std::pair<fs::path, const std::string*>> files = {
      {kDescriptionFile, &text.description}};
  for (const KernelSource& source : text.sources) {
    if (fs::path name = name_in_folder(text, source); !name.empty())
      files.emplace_back(std::move(name), &source.text);
  }
  for (const SceneData& data : text.data) files.emplace_back(data.path, &data.bytes.text());
  std::error_code failed;
  for (const auto& [name, content] : files) {
    if (!fs::exists(folder / name, failed)) continue;
    return failure(ErrorKind::usage, "it exists already and is not overwritten",
                   (folder / name).string(), "name another folder");
  }
  for (const auto& [name, content] : files) {
    failed.clear();
    fs::create_directories((folder / name).parent_path(), failed);
    if (failed) {
      return failure(ErrorKind::environment, "the folder cannot be made: " + failed.message(),
                     (folder / name).parent_path().string(), "name a folder that you may write to");
    }
    if (Result<void> written = write_file((folder / name).string(), *content); !written)
      return tl::unexpected(written.error());
  }
  return folder;
}

}  // namespace warpscope
