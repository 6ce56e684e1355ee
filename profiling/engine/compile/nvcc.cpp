// profiling/engine/compile/nvcc.cpp: a whole .cu file, host code and all, to PTX or machine code by
// nvcc.
#include "profiling/engine/compile/nvcc.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <set>

#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/compile/fenced_program.h"
#include "profiling/engine/compile/toolkit_program.h"
#include "scenes/base/source.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBytes = 3ll << 30;
// Below the private folder, deep enough that "../../common/x.h" stays inside.
constexpr const char* kQuoted = "a/a/a/a/quoted/";
constexpr const char* kAngled = "a/a/a/a/angled/";
constexpr const char* kMain = "text/warpscope_kernel.cu";
constexpr const char* kMainPtx = "text/warpscope_kernel.ptx";
constexpr const char* kDefines = "text/warpscope_defines.h";

constexpr const char* kFolderName = "warpscope-nvcc-";

// What engines left that were killed: folders of ours that nobody has written to for an hour.
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

class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code failed;
    std::string path =
        (fs::temp_directory_path(failed) / (std::string(kFolderName) + "XXXXXX")).string();
    if (!failed && ::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  // A name that leads out of the folder is not written: the compiler does not find it.
  bool write(const fs::path& name, const std::string& text) const {
    const fs::path inner = name.lexically_normal();
    if (inner.is_absolute() || inner.begin() == inner.end() || *inner.begin() == "..") return true;
    std::error_code failed;
    fs::create_directories((path_ / inner).parent_path(), failed);
    return !failed && write_file((path_ / inner).string(), text).has_value();
  }

 private:
  fs::path path_;
};

std::string line_directive(const std::string& name) {
  std::string quoted;
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' || c == '\r' ? '?' : c;
  }
  return "#line 1 \"" + quoted + "\"\n";
}

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

bool write_texts(const NvccTask& task, const std::string& defines, const PrivateFolder& folder) {
  bool written = !folder.path().empty() && folder.write(kDefines, defines);
  if (is_ptx(task.texts.front())) return written && folder.write(kMainPtx, task.texts.front());
  written = written && folder.write(kMain, line_directive(task.source) + task.texts.front() + "\n" +
                                               task.appended);
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

std::vector<fs::path> readable_places(const std::string& nvcc) {
  std::vector<fs::path> places = header_folders(nvcc);
  for (const char* system : {"/usr/bin", "/usr/local/bin", "/usr/libexec", "/lib", "/lib64", "/bin",
                             "/etc/ld.so.cache", "/dev/zero"})
    places.emplace_back(system);
  return places;
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

// A directive that preprocessing made, for the second compiler to follow: "#define H #", then
// "H include …". `text` is what the preprocessor wrote.
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
                "-I" + std::string(kAngled), kMain});
  return words;
}

// Their own names for what has ours.
std::string shown_log(std::string log, const std::string& source) {
  for (const std::string_view ours : {std::string_view(kMain), std::string_view(kMainPtx)}) {
    for (std::size_t at = 0; (at = log.find(ours, at)) != std::string::npos; at += source.size())
      log.replace(at, ours.size(), source);
  }
  return log;
}

// What the log says of an include that the fence kept from being read: the preprocessor's words,
// then those of the second compiler.
std::optional<std::string> refused_name(const std::string& log) {
  constexpr std::string_view kSecond = "cannot open source file \"";
  const std::size_t end = log.find(": Permission denied");
  if (end == std::string::npos) return std::nullopt;
  for (const std::string_view before : {std::string_view("fatal error: "), kSecond}) {
    const std::size_t begin = log.rfind(before, end);
    if (begin == std::string::npos || log.find('\n', begin) < end) continue;
    std::string name = log.substr(begin + before.size(), end - begin - before.size());
    if (before == kSecond && name.ends_with('"')) name.pop_back();
    return name;
  }
  return std::nullopt;
}

Error too_much(const std::string& what, const std::string& source) {
  return {ErrorKind::input, what, source,
          "look for macros, templates or constant expressions that grow without end"};
}

// nvcc once. error: as run_nvcc.
Result<FencedOutcome> run_once(const std::vector<std::string>& words, const PrivateFolder& folder,
                               const NvccTask& task, double limit_s, bool fenced) {
  FencedOutcome outcome = run_fenced(
      {words, folder.path(), readable_places(words.front()), limit_s, kMostBytes, fenced});
  if (outcome.end == FencedOutcome::End::not_started)
    return failure(ErrorKind::resource, "nvcc does not start", words.front(),
                   "run it by hand to see what is missing");
  if (outcome.end == FencedOutcome::End::out_of_time) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3g s", limit_s);
    return tl::unexpected(too_much(std::string("nvcc did not end within ") + seconds, task.source));
  }
  return outcome;
}

// Where the system keeps no program to folders, the second compiler may have followed an include
// that a macro made, and what the preprocessor says may quote a foreign file. error: input.
Result<void> check_unfenced(const NvccTask& task, const PrivateFolder& folder,
                            const FencedOutcome& outcome) {
  std::error_code ignored;
  if (!fs::exists(folder.path() / "read.d", ignored)) {
    const std::string log = shown_log(outcome.output, task.source);
    const std::string first = log.substr(0, log.find('\n'));
    const bool own = first.starts_with(task.source + ":");
    return failure(ErrorKind::input,
                   kUncompiled + (own ? mistakes_of(first)
                                      : "a header that it includes cannot be preprocessed"),
                   task.source);
  }
  const Result<std::string> text = read_input(folder.path() / "warpscope_kernel.cpp1.ii", 1 << 30);
  if (!text) return tl::unexpected(text.error());
  if (!makes_directives(*text)) return {};
  return failure(ErrorKind::input, "a macro of the text makes an include, which is not followed",
                 task.source, "write the include by itself");
}

Result<CompilerAnswer> run_with(const NvccTask& task, double limit_s, bool fenced) {
  const Result<Nvcc>& nvcc = find_nvcc();
  if (!nvcc) return tl::unexpected(nvcc.error());
  const Result<std::string> defines = define_lines(task);
  if (!defines) return tl::unexpected(defines.error());
  const PrivateFolder folder;
  if (!write_texts(task, *defines, folder))
    return failure(ErrorKind::environment, "the text cannot be written to a folder for nvcc",
                   fs::path(folder.path()).string(), "make room in the temporary folder");
  std::vector<std::string> words = words_of(task, nvcc->path);
  const bool cubin = task.target == Target::cubin;
  words.insert(words.end(), {cubin ? "-cubin" : "-ptx", "-o", "made.out"});
  if (cubin) words.insert(words.end(), {"-Xptxas", "-v"});
  if (!fenced) words.emplace_back("--keep");
  const Result<FencedOutcome> outcome = run_once(words, folder, task, limit_s, fenced);
  if (!outcome) return tl::unexpected(outcome.error());
  if (auto foreign = foreign_file(folder.path(), nvcc->path, task.source))
    return tl::unexpected(std::move(*foreign));
  if (!fenced) {
    if (Result<void> good = check_unfenced(task, folder, *outcome); !good)
      return tl::unexpected(good.error());
  }
  CompilerAnswer answer;
  answer.compiled = outcome->status == 0;
  answer.log = shown_log(outcome->output, task.source);
  if (!answer.compiled) {
    if (const auto name = refused_name(answer.log))
      return tl::unexpected(outside(*name, task.source));
    const bool memory = answer.log.find("out of memory") != std::string::npos ||
                        answer.log.find("std::bad_alloc") != std::string::npos;
    if (memory)
      return tl::unexpected(
          too_much("nvcc needs more than " + std::to_string(kMostBytes >> 30) + " GiB of memory",
                   task.source));
    return answer;
  }
  Result<std::string> code = read_input(folder.path() / "made.out", 1 << 30);
  if (!code) return tl::unexpected(code.error());
  answer.code = std::move(*code);
  return answer;
}

// "13.0" of "Cuda compilation tools, release 13.0, V13.0.88".
std::string release_in(const std::string& text) {
  constexpr std::string_view kBefore = "release ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + kBefore.size();
  return text.substr(begin, text.find(',', begin) - begin);
}

}  // namespace

Result<Nvcc> find_nvcc_in(const std::vector<fs::path>& folders) {
  const std::optional<std::string> path = find_program("nvcc", folders);
  if (!path)
    return failure(ErrorKind::environment,
                   "there is no nvcc here, which compiles files with host code", "nvcc",
                   "install the CUDA Toolkit 13 or NVIDIA's wheels nvidia-cuda-nvcc, nvidia-nvvm "
                   "and nvidia-cuda-crt, and point WARPSCOPE_CUDA_ROOT at their folder");
  const std::optional<std::string> gcc =
      find_program("gcc", {"/usr/local/bin", "/usr/bin", "/bin"});
  if (!gcc)
    return failure(ErrorKind::environment, "nvcc needs gcc, and there is none here", "nvcc",
                   "install g++");
  const PrivateFolder folder;
  const FencedOutcome outcome =
      run_fenced({{*path, "--version"}, folder.path(), readable_places(*path), 10, kMostBytes});
  Nvcc nvcc{*path, release_in(outcome.output), outcome.output};
  if (outcome.status != 0 || nvcc.version.empty())
    return failure(ErrorKind::environment, "nvcc does not say its version", *path,
                   "run it by hand with --version to see what is missing");
  std::error_code ignored;
  const fs::path host = fs::canonical(*gcc, ignored);
  nvcc.identity += host.string() + " " +
                   std::to_string(fs::last_write_time(host, ignored).time_since_epoch().count()) +
                   "\n";
  return nvcc;
}

const Result<Nvcc>& find_nvcc() {
  static const Result<Nvcc> found = [] {
    remove_old_folders();
    std::vector<fs::path> folders = toolkit_program_folders();
    const std::vector<fs::path> path = folders_of_path();
    folders.insert(folders.end(), path.begin(), path.end());
    return find_nvcc_in(folders);
  }();
  return found;
}

Result<CompilerAnswer> run_nvcc(const NvccTask& task, double limit_s) {
  return run_with(task, limit_s, fences_files());
}

Result<CompilerAnswer> run_ptxas(const std::string& ptx, const std::string& architecture,
                                 const std::vector<std::string>& words, double limit_s) {
  std::vector<fs::path> folders = toolkit_program_folders();
  const std::vector<fs::path> path = folders_of_path();
  folders.insert(folders.end(), path.begin(), path.end());
  const std::optional<std::string> ptxas = find_program("ptxas", folders);
  if (!ptxas)
    return failure(ErrorKind::environment, "there is no ptxas here, which tells spilled registers",
                   "ptxas", "install the CUDA Toolkit 13 or NVIDIA's wheel nvidia-cuda-nvcc");
  const PrivateFolder folder;
  if (folder.path().empty() || !folder.write("kernel.ptx", ptx))
    return failure(ErrorKind::environment, "the text cannot be written to a folder for ptxas",
                   fs::path(folder.path()).string(), "make room in the temporary folder");
  std::vector<std::string> all = {*ptxas, "-v", "-lineinfo", "-arch=" + architecture};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"-o", "made.out", "kernel.ptx"});
  const FencedOutcome outcome =
      run_fenced({all, folder.path(), readable_places(*ptxas), limit_s, kMostBytes});
  Result<std::string> code = read_input(folder.path() / "made.out", 1 << 30);
  if (outcome.end != FencedOutcome::End::ended || outcome.status != 0 || !code)
    return failure(ErrorKind::input, "ptxas does not compile the kernel: " + outcome.output,
                   architecture, "compile the PTX by hand with ptxas to see why");
  CompilerAnswer answer;
  answer.compiled = true;
  answer.log = outcome.output;
  answer.code = std::move(*code);
  return answer;
}

Result<CompilerAnswer> run_nvcc_unfenced(const NvccTask& task, double limit_s) {
  return run_with(task, limit_s, false);
}

}  // namespace warpscope
