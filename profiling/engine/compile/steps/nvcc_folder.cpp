// profiling/engine/compile/steps/nvcc_folder.cpp: the folder that nvcc works in, and what it may
// read.
#include "profiling/engine/compile/steps/nvcc_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <set>

#include "profiling/engine/compile/entry_names.h"
#include "scenes/base/source.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Below the private folder, deep enough that "../../common/x.h" stays inside.
constexpr const char* kQuoted = "a/a/a/a/quoted/";
constexpr const char* kAngled = "a/a/a/a/angled/";
constexpr const char* kDefines = "text/warpscope_defines.h";

constexpr const char* kFolderName = "warpscope-nvcc-";

// error: input: a constant whose text would be more than one line.
Result<std::string> define_lines(const NvccTask& task) {
  std::string lines;
  for (const auto& [name, value] : task.defines) {
    const bool begins =
        !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
    if (!begins || (name + value).find_first_of("\n\r\\") != std::string::npos)
      return failure(ErrorKind::usage, "this is not a macro of one line", "-D " + name,
                     "write -D NAME or -D NAME=VALUE");
    lines += "#define " + name + " " + value + "\n";
  }
  for (const std::string& name : task.undefined) lines += "#undef " + name + "\n";
  return lines;
}

bool written_texts(const NvccTask& task, const std::string& defines, const PrivateFolder& folder) {
  bool written = !folder.path().empty() && folder.write(kDefines, defines);
  if (is_ptx(task.texts.front())) return written && folder.write(kMainPtx, task.texts.front());
  written = written && folder.write(kMainText, line_directive(task.source) + task.texts.front() +
                                                   "\n" + task.appended);
  std::set<std::string> angled;
  for (const std::string& text : task.texts) {
    for (const IncludedName& included : included_names(text))
      if (!included.quoted) angled.insert(included.name);
  }
  const fs::path home =
      fs::path(task.source).is_absolute() ? fs::path(task.source).parent_path() : fs::path();
  for (std::size_t k = 1; k < task.texts.size() && written; ++k) {
    const std::string text = line_directive((home / task.names[k]).string()) + task.texts[k];
    written = folder.write(fs::path(kQuoted) / task.names[k], text);
    if (written && angled.count(task.names[k]) > 0)
      written = folder.write(fs::path(kAngled) / task.names[k], text);
  }
  std::error_code failed;
  for (const char* name : {kQuoted, kAngled}) fs::create_directories(folder.path() / name, failed);
  return written && !failed;
}

// The toolkit that a program is of; empty where it lies among the system's programs.
fs::path toolkit_of(const std::string& nvcc) {
  std::error_code failed;
  const fs::path root = fs::canonical(nvcc, failed).parent_path().parent_path();
  return failed || root == "/usr" || root == "/" || root == "/usr/local" ? fs::path() : root;
}

std::vector<fs::path> header_folders(const std::string& nvcc) {
  std::vector<fs::path> folders = {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64"};
  if (const fs::path toolkit = toolkit_of(nvcc); !toolkit.empty()) folders.push_back(toolkit);
  return folders;
}

// The files that make's rule of a compilation names.
std::vector<std::string> files_of_rule(const std::string& rule) {
  std::vector<std::string> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) files.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t at = std::min(rule.find(':'), rule.size()) + 1; at < rule.size(); ++at) {
    const char c = rule[at], next = at + 1 < rule.size() ? rule[at + 1] : '\0';
    if (c == '\\' && (next == '\n' || next == ' ' || next == '#')) {
      if (next != '\n') word += next;
      ++at;
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

}  // namespace

// Folders of ours that nobody has written to for an hour.
void remove_old_folders() {
  std::error_code failed;
  const fs::path temporary = fs::temp_directory_path(failed);
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(temporary, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    struct stat at {};
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with(kFolderName) && ::lstat(path.c_str(), &at) == 0 &&
        S_ISDIR(at.st_mode) && at.st_uid == ::geteuid() && std::time(nullptr) - at.st_mtime > 3600)
      old.push_back(path);
  }
  for (const fs::path& path : old) fs::remove_all(path, failed);
}

PrivateFolder::PrivateFolder() {
  std::error_code failed;
  std::string path =
      (fs::temp_directory_path(failed) / (std::string(kFolderName) + "XXXXXX")).string();
  if (!failed && ::mkdtemp(path.data()) != nullptr) path_ = path;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

bool PrivateFolder::write(const fs::path& name, const std::string& text) const {
  const fs::path inner = name.lexically_normal();
  if (inner.is_absolute() || inner.begin() == inner.end() || *inner.begin() == "..") return true;
  std::error_code failed;
  fs::create_directories((path_ / inner).parent_path(), failed);
  return !failed && write_file((path_ / inner).string(), text).has_value();
}

std::string line_directive(const std::string& name, int line) {
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' || c == '\r' ? '?' : c;
  }
  return "#line " + std::to_string(line) + " \"" + quoted + "\"\n";
}

Result<void> write_texts(const NvccTask& task, const PrivateFolder& folder) {
  const Result<std::string> defines = define_lines(task);
  if (!defines) return tl::unexpected(defines.error());
  if (written_texts(task, *defines, folder)) return {};
  return failure(ErrorKind::environment, "the text cannot be written to a folder for nvcc",
                 fs::path(folder.path()).string(), "make room in the temporary folder");
}

std::vector<std::string> words_of(const NvccTask& task, const std::string& nvcc) {
  std::vector<std::string> words = {nvcc};
  if (is_ptx(task.texts.front())) {
    words.insert(words.end(), {"-arch=" + task.architecture, kMainPtx});
    return words;
  }
  words.insert(words.end(), task.options.begin(), task.options.end());
  words.insert(words.end(),
               {"-lineinfo", "-arch=" + task.architecture, "-Xcompiler",
                "-MD,-MF,read.d,-iquote," + std::string(kQuoted) + ",-imacros," + kDefines,
                "-I" + std::string(kAngled), kMainText});
  return words;
}

std::vector<fs::path> readable_places(const std::string& nvcc) {
  std::vector<fs::path> places = header_folders(nvcc);
  for (const char* system : {"/usr/bin", "/usr/local/bin", "/usr/libexec", "/lib", "/lib64", "/bin",
                             "/etc/ld.so.cache", "/dev/zero"})
    places.emplace_back(system);
  return places;
}

Error outside(std::string file, const std::string& source) {
  // Without the folders that texts lie in here.
  for (const std::string ours : {"text/", kQuoted, kAngled}) {
    if (file.starts_with(ours)) file.erase(0, ours.size());
  }
  return {ErrorKind::input, "the text includes " + file + ", which is outside the kernel's folder",
          source,
          "copy the file beside it and include it by its name, or allow its folder with -I"};
}

// A file that was read and that nobody allowed.
std::optional<Error> foreign_file(const fs::path& folder, const std::string& nvcc,
                                  const std::string& source) {
  const Result<std::string> rule = read_input(folder / "read.d", 64 << 20);
  if (!rule) return std::nullopt;  // the compilers ended before, and say why
  const std::vector<fs::path> folders = header_folders(nvcc);
  for (const std::string& name : files_of_rule(*rule)) {
    const fs::path file = fs::path(name).is_absolute() ? fs::path(name) : folder / name;
    const bool inside =
        lies_in(file, folder) || std::any_of(folders.begin(), folders.end(),
                                             [&](const fs::path& f) { return lies_in(file, f); });
    if (!inside) return outside(name, source);
  }
  return std::nullopt;
}

bool makes_directives(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f"), line.size()));
    const std::size_t mark = line.starts_with("#")      ? 1
                             : line.starts_with("%:")   ? 2
                             : line.starts_with("?\?=") ? 3
                                                        : 0;
    if (mark == 0) continue;
    line.remove_prefix(mark);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f"), line.size()));
    for (const char* word : {"include", "import", "embed", "line"})
      if (line.starts_with(word)) return true;
  }
  return false;
}

}  // namespace warpscope
