// scenes/folder/fork/copied_texts.cpp: kernels with their headers under names of a folder's own.
#include "scenes/folder/fork/copied_texts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

// A text with the names of its #include lines replaced.
std::string with_includes(const std::string& text,
                          const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, end - begin);
    begin = end;
    for (const std::string& name : quoted_includes(line)) {
      const auto found = names.find(name);
      if (found != names.end()) line.replace(line.find('"') + 1, name.size(), found->second);
    }
    out += line;
  }
  return out;
}

// A header at the top of kernels/ is found by that name from everywhere.
bool below_kernels(const std::string& name) { return read_kernel_source(name).has_value(); }

class Names {
 public:
  Names(const std::string& variant, const SceneText* folder) : variant_(variant) {
    if (folder == nullptr) return;
    for (const KernelSource& source : folder->sources) {
      taken_.insert(source.path);
      if (source.path.starts_with(folder->name + "/"))
        taken_.insert(source.path.substr(folder->name.size() + 1));
    }
  }
  std::string name_for(const std::string& path, bool only) {
    const std::filesystem::path old = path;
    const std::string file = old.filename().string();
    const std::string wanted[] = {file, only ? variant_ + old.extension().string() : "",
                                  variant_ + "_" + file};
    for (const std::string& name : wanted) {
      if (!name.empty() && !below_kernels(name) && taken_.insert(name).second) return name;
    }
    for (int i = 2;; ++i) {
      std::string name = variant_ + "_" + std::to_string(i) + "_" + file;
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  std::string variant_;
  std::set<std::string> taken_;
};

}  // namespace

Result<CopiedTexts> copied_texts(const SourceLookup& find, const std::string& scene,
                                 const std::vector<std::string>& paths, const std::string& variant,
                                 const SceneText* folder) {
  CopiedTexts copied;
  Names names(variant, folder);
  std::map<std::string, std::string> headers;  // as included → the copy's name
  std::vector<KernelSource> header_texts;
  for (const std::string& path : paths) {
    Result<std::vector<KernelSource>> texts = find(path);
    if (!texts) return tl::unexpected(texts.error());
    KernelSource& kernel = texts->front();
    const std::string own = scene + "/";
    const bool of_folder = folder != nullptr && path.starts_with(own);
    const std::string name = names.name_for(path, paths.size() == 1);
    copied.replaced.emplace_back(of_folder ? path.substr(own.size()) : path, name);
    kernel.path = name;
    copied.files.push_back(std::move(kernel));
    for (std::size_t i = 1; i < texts->size(); ++i) {
      KernelSource& header = (*texts)[i];
      if (headers.count(header.path) != 0) continue;
      headers[header.path] = names.name_for(header.path, false);
      header_texts.push_back(std::move(header));
    }
  }
  for (KernelSource& header : header_texts) {
    header.path = headers.at(header.path);
    copied.files.push_back(std::move(header));
  }
  for (KernelSource& file : copied.files)
    file = kernel_source(file.path, with_includes(file.text, headers));
  return copied;
}

std::vector<std::pair<std::string, std::string>> files_of(const SceneText& folder) {
  std::map<std::string, std::string> files;
  const std::string own = folder.name + "/";
  for (const KernelSource& source : folder.sources) {
    const bool of_folder = source.path.starts_with(own);
    const std::string name = of_folder ? source.path.substr(own.size()) : source.path;
    // Nothing outside of the folder is written, whatever a text's path says.
    if (!inner_path(name)) continue;
    if (!of_folder) {
      const Result<std::string> shared = read_kernel_source(name);
      if (shared && *shared == source.text) continue;
    }
    files.emplace(name, source.text);
  }
  for (const SceneData& data : folder.data) {
    if (inner_path(data.path)) files.emplace(data.path, data.bytes.text());
  }
  return {files.begin(), files.end()};
}

}  // namespace warpscope
