// profiling/session.cpp: the store of messages, its file, and reading it back.
#include "profiling/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

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

}  // namespace

void Session::apply(const Message& message) {
  ++revision_;
  if (const auto* m = std::get_if<Measurement>(&message)) {
    const std::string key = point_key(m->scene, m->variant, m->key);
    const auto [place, added] = places_.try_emplace(key, points_.size());
    if (added) {
      points_.push_back(*m);
      places_of_[m->scene + "/" + m->variant].push_back(place->second);
    } else {
      Measurement point = *m;
      complete(point, points_[place->second]);
      points_[place->second] = std::move(point);
    }
    if (!m->partial) history_.push_back(*m);
  } else if (const auto* t = std::get_if<Timeline>(&message)) {
    timelines_[point_key(t->scene, t->variant, t->key)] = *t;
  } else if (const auto* trace = std::get_if<Trace>(&message)) {
    std::erase_if(traces_, [trace](const Trace& older) {
      return older.scene == trace->scene && older.variant == trace->variant &&
             older.key == trace->key && older.step == trace->step;
    });
    traces_.push_back(*trace);
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
  return found == timelines_.end() ? nullptr : &found->second;
}

std::vector<const Timeline*> Session::timelines() const {
  std::vector<const Timeline*> found;
  for (const auto& [key, timeline] : timelines_) found.push_back(&timeline);
  return found;
}

const Trace* Session::trace(const std::string& scene, const std::string& variant,
                            const std::string& key, const std::string& step) const {
  const auto found = std::find_if(traces_.rbegin(), traces_.rend(), [&](const Trace& trace) {
    return trace.scene == scene && trace.variant == variant && trace.key == key &&
           (step.empty() || trace.step == step);
  });
  return found == traces_.rend() ? nullptr : &*found;
}

std::vector<const Trace*> Session::traces() const {
  std::vector<const Trace*> found;
  for (const Trace& trace : traces_) found.push_back(&trace);
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
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) {
    return failure(ErrorKind::environment, "the session cannot be read", path.string(),
                   "check the path and its permissions");
  }
  if (static_cast<std::int64_t>(bytes) > maximum_bytes) {
    return failure(ErrorKind::input,
                   "the file is " + format_value(static_cast<double>(bytes), "B") +
                       " long, over the limit of " +
                       format_value(static_cast<double>(maximum_bytes), "B"),
                   path.string(), "split it or raise the limit");
  }
  SessionReading reading;
  std::string line;
  std::int64_t number = 0, unreadable = 0;
  constexpr std::int64_t kMostWarnings = 20;
  const auto warn = [&reading](std::string text) {
    if (static_cast<std::int64_t>(reading.warnings.size()) < kMostWarnings) {
      reading.warnings.push_back(std::move(text));
    }
  };
  while (std::getline(file, line)) {
    ++number;
    const bool torn = file.eof() && !line.empty();  // the last line has no newline
    if (line.empty()) continue;
    Result<Message> message = parse_line(line);
    if (!message) {
      ++unreadable;
      // A file that begins with something else is no session at all, however long it is.
      if (reading.lines == 0 && unreadable >= 3) break;
      warn("line " + std::to_string(number) +
           (torn ? " is torn and was skipped" : " was skipped: " + message.error().what));
      continue;
    }
    if (const auto* hello = std::get_if<Hello>(&*message);
        hello && hello->protocol > protocol_version) {
      warn("line " + std::to_string(number) + " is of protocol " + std::to_string(hello->protocol) +
           ", newer than this version's " + std::to_string(protocol_version) +
           ": fields it does not know are left out");
    }
    ++reading.lines;
    reading.session.apply(*message);
  }
  if (reading.lines == 0) {
    return failure(ErrorKind::input, bytes == 0 ? "the file is empty" : "the file is not a session",
                   path.string(), "choose a .wsj file that Warpscope wrote");
  }
  return reading;
}

Result<SessionFile> SessionFile::open(const std::filesystem::path& path) {
  SessionFile file;
  file.path_ = path;
  file.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file.descriptor_ < 0) return file_failure(path, errno);
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
