// profiling/session.cpp: the store of messages, its file, and reading it back.
#include "profiling/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "profiling/derive.h"
#include "profiling/kept_bytes.h"
#include "profiling/packed_text.h"
#include "profiling/step_means.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

std::string point_key(const std::string& scene, const std::string& variant,
                      const std::string& key) {
  return scene + "/" + variant + "/" + key;
}

bool same_circumstances(const Measurement& a, const Measurement& b) {
  return a.conditions.source_hash == b.conditions.source_hash &&
         a.conditions.device == b.conditions.device && a.conditions.toolkit == b.conditions.toolkit;
}

void merge_metrics(const std::vector<MetricValue>& from, std::vector<MetricValue>& into) {
  for (const MetricValue& value : from) {
    const MetricValue* present = find_value(into, value.id);
    if (present == nullptr || (!present->value && value.value)) set_value(into, value);
  }
}

// A newer measurement keeps what an older one of the same kernel knew and it did not ask for.
void complete(Measurement& newer, const Measurement& older) {
  if (!same_circumstances(newer, older) || newer.verdict.outcome != Outcome::correct) return;
  if (!newer.cold) newer.cold = older.cold;
  if (!newer.warm) newer.warm = older.warm;
  if (!newer.prepare_ns) newer.prepare_ns = older.prepare_ns;
  if (newer.counter_passes == 0) {
    newer.counter_passes = older.counter_passes;
    newer.counters = older.counters;
  }
  merge_metrics(older.metrics, newer.metrics);
  for (StepRecord& step : newer.steps) {
    for (const StepRecord& before : older.steps) {
      if (before.name != step.name) continue;
      if (!step.time_ns) step.time_ns = before.time_ns;
      merge_metrics(before.metrics, step.metrics);
      if (step.lines.rows.empty() && !before.lines.rows.empty()) step.lines = before.lines;
    }
  }
}

tl::unexpected<Error> file_failure(const std::filesystem::path& path, int code) {
  const char* remedy = code == ENOSPC ? "free some space; what was written before is kept"
                       : code == EACCES || code == EROFS ? "choose a folder you may write to"
                                                         : "choose another path";
  return failure(ErrorKind::environment,
                 std::string("the session cannot be written: ") + std::strerror(code),
                 path.string(), remedy);
}

// What a session may take in memory: so much more than its file that every honest one has room, and
// no more than a program may take for a file that was made small to become large.
std::int64_t most_kept_bytes(std::int64_t file_bytes) {
  constexpr std::int64_t kLeast = 512LL << 20, kTimesTheFile = 16;
  return std::max(kLeast, kTimesTheFile * file_bytes);
}

// What a message takes in a Session: a measurement stands in its history and among its points.
std::int64_t kept_in_session(const Message& message) {
  return std::visit(
      [](const auto& m) -> std::int64_t {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, Measurement>) {
          return 2 * kept_bytes(m);
        } else if constexpr (std::is_same_v<M, Trace> || std::is_same_v<M, Timeline> ||
                             std::is_same_v<M, Job> || std::is_same_v<M, LogLine>) {
          return kept_bytes(m);
        } else {
          return static_cast<std::int64_t>(sizeof m);
        }
      },
      message);
}

// The lines of a session file, counted from 1.
struct LineCounts {
  std::int64_t all = 0;
  std::int64_t foreign = 0;  // no messages, though whole
  std::int64_t torn = 0;     // the last, where it is no message and has no newline
  std::int64_t kept_bytes = 0;
};
// A file in which so many lines are none was not written by Warpscope, or is damaged all through.
constexpr std::int64_t kMostForeignLines = 1000;

// Why nothing of the file is used, where that is so.
std::optional<Error> refusal(const TextLines& lines, const LineCounts& counts,
                             const std::filesystem::path& path) {
  const auto bytes = [](std::int64_t count) {
    return format_value(static_cast<double>(count), "B");
  };
  switch (lines.end()) {
    case TextEnd::over_limit:
      return Error{ErrorKind::input,
                   (lines.packed() ? "the file unpacks to more than the limit of "
                                   : "the file is " + bytes(lines.file_bytes()) +
                                         " long, over the limit of ") +
                       bytes(lines.maximum_bytes()),
                   path.string(), "split it between two lines: every part is a session"};
    case TextEnd::long_line:
      return Error{ErrorKind::input,
                   "line " + std::to_string(counts.all + 1) + " is longer than the limit of " +
                       bytes(longest_line_bytes),
                   path.string(), "choose a .wsj file that Warpscope wrote"};
    case TextEnd::unreadable:
      return Error{ErrorKind::input, "the file cannot be used: " + lines.why(), path.string(),
                   "copy it again, or choose another file"};
    case TextEnd::no_memory:
      return Error{ErrorKind::resource, "the file cannot be used: " + lines.why(), path.string(),
                   "free some memory"};
    default:
      break;
  }
  if (counts.foreign > kMostForeignLines)
    return Error{ErrorKind::input,
                 "more than " + std::to_string(kMostForeignLines) +
                     " of its lines are no messages of Warpscope",
                 path.string(), "copy it again, or choose another .wsj file"};
  if (const std::int64_t most = most_kept_bytes(lines.file_bytes()); counts.kept_bytes > most)
    return Error{ErrorKind::input,
                 "what it holds takes more than " + bytes(most) + " of memory, at line " +
                     std::to_string(counts.all),
                 path.string(), "split it between two lines: every part is a session"};
  return std::nullopt;
}

// Why there is not one message in a file that was read.
Error no_session(const TextLines& lines, const LineCounts& counts,
                 const std::filesystem::path& path) {
  if (lines.end() == TextEnd::damaged)
    return {ErrorKind::input, "the packed file is damaged (" + lines.why() + ")", path.string(),
            "copy it again, or choose another .wsj file"};
  if (lines.end() == TextEnd::torn && counts.foreign == 0)
    return {ErrorKind::input, "the packed file ends before its first line does", path.string(),
            "copy it again, or choose another .wsj file"};
  return {ErrorKind::input,
          lines.text_bytes() == 0 ? "the file is empty" : "the file is not a session",
          path.string(), "choose a .wsj file that Warpscope wrote"};
}

// What there is to say of how a packed file ended.
std::string ending(const TextLines& lines, const LineCounts& counts) {
  const std::string line = "line " + std::to_string(counts.all);
  switch (lines.end()) {
    case TextEnd::torn:
      return counts.torn > 0
                 ? line + " is torn and was skipped: the packed file ends early"
                 : "the packed file ends early behind " + line + ": what followed is lost";
    case TextEnd::damaged:
      return "the packed file is damaged in or before " + line + " (" + lines.why() +
             "): what was read may be wrong, and what followed is lost";
    case TextEnd::followed:
      return "what stands behind " + line + " is not packed and was left out";
    default:
      return {};
  }
}

}  // namespace

void Session::apply(const Message& message) {
  ++revision_;
  if (const auto* m = std::get_if<Measurement>(&message)) {
    const std::string key = point_key(m->scene, m->variant, m->key);
    const auto [place, added] = places_.try_emplace(key, points_.size());
    if (added) {
      points_.push_back(*m);
      uses_.emplace_back();
      add_step_means(points_.back());
      places_of_[m->scene + "/" + m->variant].push_back(place->second);
    } else {
      Measurement point = *m;
      complete(point, points_[place->second]);
      derive_from_parts(point);
      add_step_means(point);
      points_[place->second] = std::move(point);
    }
    PointUse& use = uses_[place->second];
    const std::int64_t bytes = kept_bytes(points_[place->second]);
    (use.opened ? opened_points_.bytes : point_bytes_) += bytes - use.bytes;
    use.bytes = bytes;
    use.revision = revision_;
    if (!m->partial) {
      history_.push_back(*m);
      history_bytes_ += kept_bytes(history_.back());
    }
  } else if (const auto* t = std::get_if<Timeline>(&message)) {
    timelines_[point_key(t->scene, t->variant, t->key)] = {*t, kept_bytes(*t), revision_};
  } else if (const auto* trace = std::get_if<Trace>(&message)) {
    const std::string key = trace_key(*trace);
    if (const auto older = trace_places_.find(key); older != trace_places_.end())
      traces_.erase(older->second);
    trace_places_[key] = ++trace_uses_;
    KeptTrace& kept = traces_[trace_uses_];
    kept.trace = *trace;
    kept.bytes = kept_bytes(kept.trace);
  } else if (const auto* r = std::get_if<RoofSet>(&message)) {
    std::erase_if(roof_sets_, [r](const RoofSet& older) {
      return older.conditions.device_uuid == r->conditions.device_uuid &&
             older.conditions.device == r->conditions.device;
    });
    roof_sets_.push_back(*r);
  } else if (const auto* h = std::get_if<Hello>(&message)) {
    if (h->role == "measure") engine_ = *h;
  } else if (const auto* l = std::get_if<LogLine>(&message)) {
    constexpr std::size_t kMostLines = 2000;
    if (log_.size() >= kMostLines) log_.erase(log_.begin(), log_.begin() + kMostLines / 2);
    log_.push_back(*l);
  } else if (const auto* p = std::get_if<Progress>(&message)) {
    progress_[p->job] = *p;
  } else if (const auto* d = std::get_if<Done>(&message)) {
    progress_.erase(d->job);
    done_[d->job] = *d;
  } else if (const auto* j = std::get_if<Job>(&message)) {
    jobs_.emplace_back(j->job, *j);
    jobs_.back().second.sources.clear();  // texts are for engines
    job_bytes_ += kept_bytes(*j);
  }
}

const Measurement* Session::latest(const std::string& scene, const std::string& variant,
                                   const std::string& key) const {
  const auto found = places_.find(point_key(scene, variant, key));
  return found == places_.end() ? nullptr : &points_[found->second];
}

const Measurement* baseline_of(const Session& session, const Measurement& point) {
  const Result<const Scene*> scene = find_scene(point.scene);
  if (!scene) return nullptr;
  // A recorded point may lack an axis that the scene has now: it then has the default.
  Configuration axes = default_configuration((*scene)->axes);
  for (const auto& [name, value] : point.axes.values()) axes.set(name, value);
  const Variant* variant = variant_at(**scene, axes, (*scene)->baseline);
  return variant == nullptr ? nullptr : session.latest(point.scene, variant->name, point.key);
}

std::vector<const Measurement*> Session::points(const std::string& scene,
                                                const std::string& variant) const {
  std::vector<const Measurement*> found;
  const auto places = places_of_.find(scene + "/" + variant);
  if (places == places_of_.end()) return found;
  found.reserve(places->second.size());
  for (const std::size_t place : places->second) found.push_back(&points_[place]);
  return found;
}

std::vector<const Measurement*> Session::all_points() const {
  std::vector<const Measurement*> found;
  found.reserve(points_.size());
  for (const Measurement& point : points_) found.push_back(&point);
  return found;
}

const Timeline* Session::timeline(const std::string& scene, const std::string& variant,
                                  const std::string& key) const {
  const auto found = timelines_.find(point_key(scene, variant, key));
  return found == timelines_.end() ? nullptr : &found->second.timeline;
}

std::vector<const Timeline*> Session::timelines() const {
  std::vector<const Timeline*> found;
  for (const auto& [key, kept] : timelines_) found.push_back(&kept.timeline);
  return found;
}

std::string Session::trace_key(const Trace& trace) {
  return point_key(trace.scene, trace.variant, trace.key) + "/" + trace.step;
}

const Trace* Session::trace(const std::string& scene, const std::string& variant,
                            const std::string& key, const std::string& step) const {
  const auto found = std::find_if(traces_.rbegin(), traces_.rend(), [&](const auto& row) {
    const Trace& trace = row.second.trace;
    return trace.scene == scene && trace.variant == variant && trace.key == key &&
           (step.empty() || trace.step == step);
  });
  return found == traces_.rend() ? nullptr : &found->second.trace;
}

std::vector<const Trace*> Session::traces() const {
  std::vector<const Trace*> found;
  for (const auto& [use, kept] : traces_) found.push_back(&kept.trace);
  return found;
}

const RoofSet* Session::roofs() const { return roof_sets_.empty() ? nullptr : &roof_sets_.back(); }
const Hello* Session::engine() const { return engine_ ? &*engine_ : nullptr; }

std::optional<Progress> Session::progress(std::int64_t job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Done> Session::done(std::int64_t job) const {
  const auto found = done_.find(job);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

Result<SessionReading> read_session(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  Result<TextLines> lines = TextLines::open(path, maximum_bytes);
  if (!lines) return tl::unexpected(lines.error());
  SessionReading reading;
  LineCounts counts;
  constexpr std::int64_t kMostWarnings = 20;
  const auto warn = [&reading](std::string text) {
    if (static_cast<std::int64_t>(reading.warnings.size()) < kMostWarnings) {
      reading.warnings.push_back(std::move(text));
    }
  };
  while (const std::optional<std::string_view> line = lines->next()) {
    ++counts.all;
    if (line->empty()) continue;
    Result<Message> message = parse_line(*line);
    const std::string number = std::to_string(counts.all);
    if (!message) {
      const bool torn = !lines->complete();
      ++(torn ? counts.torn : counts.foreign);
      // A file that begins with something else is no session at all, however long it is.
      if (reading.lines == 0 && counts.foreign + counts.torn >= 3) break;
      const bool cut = lines->end() == TextEnd::torn || lines->end() == TextEnd::damaged;
      if (torn && cut) continue;  // `ending` has more to say
      if (counts.foreign > kMostForeignLines) break;
      warn("line " + number +
           (torn ? " is torn and was skipped" : " was skipped: " + message.error().what));
      continue;
    }
    if (const auto* hello = std::get_if<Hello>(&*message);
        hello && hello->protocol > protocol_version) {
      warn("line " + number + " is of protocol " + std::to_string(hello->protocol) +
           ", newer than this version's " + std::to_string(protocol_version) +
           ": fields it does not know are left out");
    }
    counts.kept_bytes += kept_in_session(*message);
    if (counts.kept_bytes > most_kept_bytes(lines->file_bytes())) break;
    ++reading.lines;
    reading.session.apply(*message);
  }
  if (std::optional<Error> refused = refusal(*lines, counts, path)) return tl::unexpected(*refused);
  if (reading.lines == 0) return tl::unexpected(no_session(*lines, counts, path));
  if (std::string words = ending(*lines, counts); !words.empty())
    reading.warnings.push_back(std::move(words));
  return reading;
}

Result<std::string> session_text(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  Result<TextLines> lines = TextLines::open(path, maximum_bytes);
  if (!lines) return tl::unexpected(lines.error());
  std::string text;
  LineCounts counts;
  while (const std::optional<std::string_view> line = lines->next()) {
    if (!lines->complete() && !parse_line(*line)) break;
    ++counts.all;
    text += *line;
    text += '\n';
  }
  if (std::optional<Error> refused = refusal(*lines, counts, path)) return tl::unexpected(*refused);
  return text;
}

namespace {

tl::unexpected<Error> not_appended(const std::filesystem::path& path, std::string what,
                                   std::string remedy) {
  return failure(ErrorKind::input, std::move(what), path.string(), std::move(remedy));
}

// Whether a session may lie there: a pipe takes what is written once, a device forgets it.
Result<void> check_regular(const std::filesystem::path& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return {};
  return not_appended(
      path,
      std::string("a session is a file, and this is a ") + (S_ISDIR(status.st_mode)    ? "folder"
                                                            : S_ISFIFO(status.st_mode) ? "pipe"
                                                            : S_ISSOCK(status.st_mode) ? "socket"
                                                                                       : "device"),
      "name a file, such as run.wsj");
}

// Whether the open file is empty or begins as sessions do: with a message that this version knows,
// or, where one line is all there is, with the beginning of one.
Result<void> check_beginning(const std::filesystem::path& path, int descriptor) {
  const auto foreign = [&path] {
    return not_appended(path, "the file is not a session, and nothing is appended to it",
                        "choose a .wsj file that Warpscope wrote, or a new one");
  };
  char first[2] = {};
  const ssize_t count = ::pread(descriptor, first, sizeof first, 0);
  if (count == 0) return {};
  if (count == 2 && begins_packed({first, sizeof first})) {
    return not_appended(path, "nothing can be appended to a packed session",
                        "unpack it with `gunzip`, or choose another file");
  }
  if (count < 1 || first[0] != '{') return foreign();
  // The file that is open, also where another took its name meanwhile.
  Result<TextLines> lines = TextLines::open("/proc/self/fd/" + std::to_string(descriptor),
                                            std::numeric_limits<std::int64_t>::max());
  const auto line = lines ? lines->next() : std::nullopt;
  if (!line) return foreign();
  const Result<Message> message = parse_line(*line);
  if (message && !std::holds_alternative<Unknown>(*message)) return {};
  if (!message && !lines->complete() && begins_message(*line)) return {};
  return foreign();
}

// Whether what is there ends with a newline, so that the next line stands alone.
bool ends_line(int descriptor) {
  struct stat status {};
  char last = '\n';
  return ::fstat(descriptor, &status) != 0 || status.st_size == 0 ||
         ::pread(descriptor, &last, 1, status.st_size - 1) != 1 || last == '\n';
}

}  // namespace

Result<SessionFile> SessionFile::open(const std::filesystem::path& path) {
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there) {
    if (Result<void> good = check_regular(path, status); !good) return tl::unexpected(good.error());
  }
  const bool named = named_packed(path);
  SessionFile file;
  file.path_ = path;
  if (there || !named) {  // a name is refused before a file of that name is made
    file.descriptor_ =
        ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_CREAT, 0644);
    if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0)
      return file_failure(path, errno);
    if (Result<void> good = check_regular(path, status).and_then([&] {
          return check_beginning(path, file.descriptor_);
        });
        !good)
      return tl::unexpected(good.error());
  }
  if (named) {
    return not_appended(path, "a session is recorded unpacked, and the name ends in .gz",
                        "choose one that ends in .wsj; `warpscope export` packs it afterwards");
  }
  return file;
}

SessionFile::SessionFile(SessionFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

SessionFile& SessionFile::operator=(SessionFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

SessionFile::~SessionFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> SessionFile::append(const Message& message) {
  // What another process, or this one on a full disk, left unfinished is not continued.
  const std::string line = (ends_line(descriptor_) ? "" : "\n") + to_line(message) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t step = ::write(descriptor_, line.data() + written, line.size() - written);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return file_failure(path_, step == 0 ? ENOSPC : errno);
    written += static_cast<std::size_t>(step);
  }
  return {};
}

}  // namespace warpscope
