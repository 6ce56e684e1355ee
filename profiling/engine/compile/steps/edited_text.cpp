// profiling/engine/compile/steps/edited_text.cpp: PTX of a text that is compiled again after an
// edit.
#include "profiling/engine/compile/steps/edited_text.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "profiling/engine/compile/fenced_program.h"
#include "profiling/engine/compile/steps/nvcc_folder.h"
#include "profiling/engine/compile/toolkit_program.h"
#include "scenes/base/source.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kRest = "text/warpscope_rest.cu";
constexpr const char* kRestMade = "text/warpscope_rest.ii";
constexpr const char* kMacros = "text/warpscope_macros.h";
constexpr const char* kWhole = "text/warpscope_whole.ii";
constexpr const char* kMade = "made.out";

// What follows the # of a directive; empty: the line is another.
std::string_view directive_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f"), line.size()));
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f"), line.size()));
  return line;
}

// Whether the rest may depend on more of the head than its macros.
bool stands_alone(std::string_view rest) {
  for (const char* word : {"include", "import", "embed", "_Pragma", "__COUNTER__", "push_macro",
                           "pop_macro", "__INCLUDE_LEVEL__", "__has_"}) {
    if (rest.find(word) != std::string_view::npos) return false;
  }
  return rest.find("%:") == std::string_view::npos && rest.find("?\?=") == std::string_view::npos;
}

// Runs a step; whether it succeeded.
class Step {
 public:
  Step(const PrivateFolder& folder, const std::string& nvcc, double limit_s)
      : folder_(folder), nvcc_(nvcc), limit_s_(limit_s) {}
  bool run(const Words& words) {
    const FencedOutcome outcome =
        run_fenced({words, folder_.path(), readable_places(nvcc_), limit_s_ - seconds_since(start_),
                    kMostCompilerBytes});
    output_ = outcome.output;
    return outcome.end == FencedOutcome::End::ended && outcome.status == 0;
  }
  const std::string& output() const { return output_; }

 private:
  const PrivateFolder& folder_;
  std::string nvcc_, output_;
  double limit_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What a text's head was made to. The words have the file names that they need.
struct Head {
  std::string key;
  std::string folder;  // that the words were made in: it stands in some of them
  Words preprocess, compile, check;
  std::string made, macros;
};

// Everything that the head's result depends on.
std::string key_of(const NvccTask& task, const std::string& head, const Nvcc& nvcc) {
  std::string all = nvcc.identity + task.architecture + "\n" + task.source + "\n";
  for (const std::string& option : task.options) all += option + "\n";
  for (const auto& [name, value] : task.defines) all += name + "=" + value + "\n";
  for (const std::string& name : task.undefined) all += "undef " + name + "\n";
  for (std::size_t k = 1; k < task.texts.size(); ++k)
    all += task.names[k] + " " + hash_of(task.texts[k]) + "\n";
  return hash_of(all + head);
}

// Takes a word, and the one after it if it has an argument.
void leave_out(Words& words, std::string_view option, bool with_argument) {
  const auto found = std::find(words.begin(), words.end(), option);
  if (found == words.end()) return;
  words.erase(found, std::min(found + (with_argument ? 2 : 1), words.end()));
}

bool replace_after(Words& words, std::string_view option, const std::string& value) {
  const auto found = std::find(words.begin(), words.end(), option);
  if (found == words.end() || found + 1 == words.end()) return false;
  *(found + 1) = value;
  return true;
}

// The macros that gcc wrote between the text, taken from it, without those that it has by itself.
// Lines stay.
std::string take_macros(std::string& text) {
  std::string kept, macros;
  bool own = false;  // gcc's
  kept.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.starts_with("# ")) own = line.find("\"<built-in>\"") != std::string_view::npos;
    if (line.starts_with("#define ") || line.starts_with("#undef ")) {
      if (!own) macros += std::string(line) + "\n";
    } else {
      kept += line;
    }
    kept += '\n';
    begin = end + 1;
  }
  text = std::move(kept);
  return macros;
}

std::shared_ptr<const Head> make_head(const NvccTask& task, const std::string& text,
                                      const Nvcc& nvcc, const PrivateFolder& folder, Step& step) {
  NvccTask head_task = task;
  head_task.texts.front() = text;
  head_task.appended.clear();
  if (!write_texts(head_task, folder)) return nullptr;
  Words words = words_of(head_task, nvcc.path);
  words.insert(words.end(), {"-ptx", "-o", kMade, "--dryrun"});
  if (!step.run(words)) return nullptr;
  std::optional<NvccSteps> steps = nvcc_steps(step.output());
  const std::vector<fs::path> programs = {fs::path(nvcc.path).parent_path(), "/usr/local/bin",
                                          "/usr/bin", "/bin"};
  const std::optional<std::string> gcc = find_program("gcc", programs),
                                   ptxas = find_program("ptxas", programs);
  if (!steps || !gcc || steps->compile.size() < 4) return nullptr;
  auto head = std::make_shared<Head>();
  head->folder = folder.path().string();
  head->preprocess = steps->preprocess;
  head->preprocess.front() = *gcc;
  head->compile = steps->compile;
  head->check = steps->check;
  if (!head->check.empty() && !ptxas) return nullptr;
  if (!head->check.empty()) head->check.front() = *ptxas;
  // "… FILE.cpp1.ii -o made.out"
  Words& compile = head->compile;
  if (compile[compile.size() - 2] != "-o" || !compile[compile.size() - 3].ends_with(".ii"))
    return nullptr;
  compile[compile.size() - 3] = kWhole;
  if (!replace_after(head->preprocess, "-o", kRestMade)) return nullptr;
  Words first = head->preprocess;
  first.emplace_back("-dD");
  if (!step.run(first) || foreign_file(folder.path(), nvcc.path, task.source)) return nullptr;
  Result<std::string> made = read_input(folder.path() / kRestMade, 1 << 30);
  if (!made) return nullptr;
  head->made = std::move(*made);
  head->macros = take_macros(head->made);
  leave_out(head->preprocess, "-include", true);
  leave_out(head->preprocess, "-imacros", true);  // the person's, which the head's macros have
  leave_out(head->preprocess, "-MD", false);
  leave_out(head->preprocess, "-MF", true);
  const auto input = std::find(head->preprocess.begin(), head->preprocess.end(), kMainText);
  if (input == head->preprocess.end()) return nullptr;
  *input = kRest;
  head->preprocess.insert(head->preprocess.end(), {"-imacros", kMacros});
  return head;
}

// The heads of the last texts.
class Heads {
 public:
  std::shared_ptr<const Head> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (const auto& head : heads_) {
      if (head->key == key) return head;
    }
    return nullptr;
  }
  void keep(std::shared_ptr<const Head> head) {
    constexpr std::size_t kMost = 4;
    const std::lock_guard lock(mutex_);
    heads_.push_front(std::move(head));
    if (heads_.size() > kMost) heads_.pop_back();
  }

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const Head>> heads_;
};

Heads& heads() {
  static auto& all = *new Heads;  // never destroyed: a process may end while a thread compiles
  return all;
}

// ptxas refuses what an asm statement says that no one else looks at.
bool has_assembly(std::string_view ptx) {
  return ptx.find("// begin inline asm") != std::string_view::npos;
}

}  // namespace

std::optional<DividedText> divided_text(std::string_view text) {
  DividedText divided;
  std::size_t cut = 0;
  int depth = 0, line = 1;
  bool joined = false, inside = false;  // inside: the last include stands in a condition
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    const std::string_view word = joined ? std::string_view() : directive_of(one);
    if (word.starts_with("if")) ++depth;
    if (word.starts_with("endif")) --depth;
    joined = one.ends_with('\\') || one.ends_with("\\\r");
    begin = end + 1;
    ++line;
    if (!word.starts_with("include") && !word.starts_with("import")) continue;
    inside = depth != 0 || joined;
    cut = std::min(begin, text.size());
    divided.line = line;
  }
  divided.head = text.substr(0, cut);
  divided.rest = text.substr(cut);
  if (inside || !stands_alone(divided.rest)) return std::nullopt;
  return divided;
}

std::optional<NvccSteps> nvcc_steps(std::string_view dry_run) {
  std::map<std::string, std::string> variables;
  const auto words_in = [&](std::string_view line) {
    Words words;
    std::string word;
    bool quoted = false, any = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const char c = line[at];
      if (c == '"') {
        quoted = !quoted;
        any = true;
      } else if (c == '\\' && at + 1 < line.size()) {
        word += line[++at];
        any = true;
      } else if (c == '$') {
        std::size_t end = at + 1;
        while (end < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
          ++end;
        word += variables[std::string(line.substr(at + 1, end - at - 1))];
        any = true;
        at = end - 1;
      } else if (!quoted && (c == ' ' || c == '\t')) {
        if (any) words.push_back(std::exchange(word, {}));
        any = false;
      } else {
        word += c;
        any = true;
      }
    }
    if (any) words.push_back(word);
    return words;
  };
  NvccSteps steps;
  for (std::size_t begin = 0; begin < dry_run.size();) {
    const std::size_t end = std::min(dry_run.find('\n', begin), dry_run.size());
    std::string_view line = dry_run.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with("#$ ")) continue;
    line.remove_prefix(3);
    const std::size_t equals = line.find('=');
    const std::string_view name = line.substr(0, equals);
    if (equals != std::string_view::npos && name.find_first_of(" \"/") == std::string_view::npos) {
      variables[std::string(name)] = std::string(line.substr(equals + 1));
      continue;
    }
    Words words = words_in(line);
    if (words.empty()) continue;
    const std::string program = fs::path(words.front()).filename();
    Words* const place = program == "gcc"     ? &steps.preprocess
                         : program == "cicc"  ? &steps.compile
                         : program == "ptxas" ? &steps.check
                                              : nullptr;
    if (place == nullptr || !place->empty()) return std::nullopt;
    *place = std::move(words);
  }
  if (steps.preprocess.empty() || steps.compile.empty()) return std::nullopt;
  return steps;
}

std::optional<CompilerAnswer> run_edited(const NvccTask& task, double limit_s) {
  const Result<Nvcc>& nvcc = find_nvcc();
  if (!nvcc || !fences_files() || task.target != Target::ptx || task.texts.empty())
    return std::nullopt;
  const std::optional<DividedText> text = divided_text(task.texts.front());
  const PrivateFolder folder;
  if (!text || folder.path().empty()) return std::nullopt;
  Step step(folder, nvcc->path, limit_s);
  const std::string key = key_of(task, text->head, *nvcc);
  std::shared_ptr<const Head> head = heads().find(key);
  if (head == nullptr) {
    head = make_head(task, text->head, *nvcc, folder, step);
    if (head == nullptr) return std::nullopt;
    auto keyed = std::make_shared<Head>(*head);
    keyed->key = key;
    head = keyed;
    heads().keep(head);
  }
  const std::string rest =
      line_directive(task.source, text->line) + text->rest + "\n" + task.appended;
  if (!folder.write(kRest, rest) || !folder.write(kMacros, head->macros) ||
      !step.run(head->preprocess))
    return std::nullopt;
  CompilerAnswer answer;
  answer.log = step.output();
  const Result<std::string> made = read_input(folder.path() / kRestMade, 1 << 30);
  if (!made || !folder.write(kWhole, head->made + *made)) return std::nullopt;
  Words compile = head->compile;
  for (std::string& word : compile) {
    if (const std::size_t at = word.find(head->folder); at != std::string::npos)
      word.replace(at, head->folder.size(), folder.path().string());
  }
  if (!step.run(compile)) return std::nullopt;
  answer.log += step.output();
  Result<std::string> ptx = read_input(folder.path() / kMade, 1 << 30);
  if (!ptx) return std::nullopt;
  if (has_assembly(*ptx) && !head->check.empty() && !step.run(head->check)) return std::nullopt;
  answer.compiled = true;
  answer.code = std::move(*ptx);
  return answer;
}

Result<CompilerAnswer> run_after_edit(const NvccTask& task, double limit_s) {
  if (std::optional<CompilerAnswer> answer = run_edited(task, limit_s)) return std::move(*answer);
  return run_nvcc(task, limit_s);
}

}  // namespace warpscope
