// profiling/session.cpp: the store of messages, its file, and reading it back.
#include "profiling/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
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

// The lines of a session file, counted from 1.
struct LineCounts {
  std::int64_t all = 0;
  std::int64_t foreign = 0;  // no messages, though whole
  std::int64_t torn = 0;     // the last, where it is no message and has no newline
};

// Why nothing of the file is used, where that is so.
std::optional<Error> refusal(const TextLines& lines, const LineCounts& counts,
                             const std::filesystem::path& path, std::int64_t maximum_bytes) {
  const auto bytes = [](std::int64_t count) {
    return format_value(static_cast<double>(count), "B");
  };
  switch (lines.end()) {
    case TextEnd::over_limit:
      return Error{ErrorKind::input,
                   (lines.packed() ? "the file unpacks to more than the limit of "
                                   : "the file is " + bytes(lines.file_bytes()) +
                                         " long, over the limit of ") +
                       bytes(maximum_bytes),
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
      return std::nullopt;
  }
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
    std::erase_if(traces_, [trace](const KeptTrace& older) {
      return older.trace.scene == trace->scene && older.trace.variant == trace->variant &&
             older.trace.key == trace->key && older.trace.step == trace->step;
    });
    traces_.push_back({*trace, 0});
    traces_.back().bytes = kept_bytes(traces_.back().trace);
  } else if (const auto* r = std::get_if<RoofSet>(&message)) {
    roofs_ = *r;
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

const Trace* Session::trace(const std::string& scene, const std::string& variant,
                            const std::string& key, const std::string& step) const {
  const auto found = std::find_if(traces_.rbegin(), traces_.rend(), [&](const KeptTrace& kept) {
    return kept.trace.scene == scene && kept.trace.variant == variant && kept.trace.key == key &&
           (step.empty() || kept.trace.step == step);
  });
  return found == traces_.rend() ? nullptr : &found->trace;
}

std::vector<const Trace*> Session::traces() const {
  std::vector<const Trace*> found;
  for (const KeptTrace& kept : traces_) found.push_back(&kept.trace);
  return found;
}

const RoofSet* Session::roofs() const { return roofs_ ? &*roofs_ : nullptr; }
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
    ++reading.lines;
    reading.session.apply(*message);
  }
  if (std::optional<Error> refused = refusal(*lines, counts, path, maximum_bytes))
    return tl::unexpected(*refused);
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
  if (std::optional<Error> refused = refusal(*lines, counts, path, maximum_bytes))
    return tl::unexpected(*refused);
  return text;
}

Result<SessionFile> SessionFile::open(const std::filesystem::path& path) {
  SessionFile file;
  file.path_ = path;
  // A name is refused before a file of that name is made.
  const int make = named_packed(path) ? 0 : O_CREAT;
  file.descriptor_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | make, 0644);
  if (file.descriptor_ < 0 && make != 0) return file_failure(path, errno);
  char first[2] = {};
  if (::pread(file.descriptor_, first, sizeof first, 0) == 2 &&
      begins_packed({first, sizeof first})) {
    return failure(ErrorKind::input, "nothing can be appended to a packed session", path.string(),
                   "unpack it with `gunzip`, or choose another file");
  }
  if (make == 0) {
    return failure(ErrorKind::input, "a session is recorded unpacked, and the name ends in .gz",
                   path.string(),
                   "choose one that ends in .wsj; `warpscope export` packs it afterwards");
  }
  const off_t end = ::lseek(file.descriptor_, 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(file.descriptor_, &last, 1, end - 1) == 1 && last != '\n') {
    if (::write(file.descriptor_, "\n", 1) != 1) return file_failure(path, errno);
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
  const std::string line = to_line(message) + "\n";
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
