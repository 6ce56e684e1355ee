// workbench/lessons/handout.cpp: a lesson on paper: pictures, texts and questions, answers at the
// end.
#include "workbench/lessons/handout.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "profiling/figures/inert_text.h"
#include "profiling/text/base64.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

constexpr const char* kLine = "____________";  // to write a number on

std::string number_of(std::size_t index) { return std::to_string(index + 1); }
std::string letter_of(std::size_t index) { return std::string(1, static_cast<char>('a' + index)); }

std::optional<std::filesystem::path> program_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

// The command that makes a PDF of a page; empty: no program does.
std::vector<std::string> pdf_command(const std::string& page, const std::string& pdf) {
  if (const auto found = program_on_path("weasyprint")) return {found->string(), page, pdf};
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"}) {
    const auto found = program_on_path(name);
    if (!found) continue;
    std::vector<std::string> words = {found->string(),         "--headless",
                                      "--disable-gpu",         "--no-pdf-header-footer",
                                      "--print-to-pdf=" + pdf, "file://" + page};
    // Its sandbox cannot start as root. The page is ours, and runs no script.
    if (::geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");
    return words;
  }
  return {};
}

tl::unexpected<Error> no_program() {
  return failure(ErrorKind::environment, "no program here makes a PDF", "--handout",
                 "install weasyprint or chromium, or write a .html file and print it");
}

// What the program wrote, without the bytes that pipes do not hold yet.
void drain(int descriptor, std::string& text) {
  constexpr std::size_t kMostBytes = 4096;
  char buffer[1024];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    if (text.size() < kMostBytes) text.append(buffer, static_cast<std::size_t>(count));
  }
}

// Runs a command to its end. error: environment.
Result<void> run_converter(const std::vector<std::string>& command) {
  constexpr double kLimitS = 120;
  ChildProcess child = start_child(command);
  if (child.process < 0)
    return failure(ErrorKind::resource, "no process could be started", command.front(),
                   "close some programs");
  std::string said;
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  bool late = false;
  while (::waitpid(child.process, &status, WNOHANG) == 0) {
    drain(child.from_child, said);
    drain(child.errors, said);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (taken.count() > kLimitS && !late) ::kill(child.process, SIGKILL);
    late = taken.count() > kLimitS;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  drain(child.errors, said);
  for (const int descriptor : {child.to_child, child.from_child, child.errors, child.start_failure})
    ::close(descriptor);
  if (!late && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string first_line = said.substr(0, said.find('\n'));
  return failure(ErrorKind::environment,
                 late ? "the program that makes the PDF did not end in two minutes"
                      : "the program that makes the PDF failed: " + first_line,
                 command.front(), "write a .html file and print it");
}

std::string step_html(const Handout& handout, std::size_t at, std::string picture) {
  const HandoutStep& step = handout.steps[at];
  std::string html = "<section><h2>" + number_of(at) + "</h2><p>" + markup_text(step.text) + "</p>";
  if (!picture.empty())
    html +=
        "<img alt=\"step " + number_of(at) + "\" src=\"data:image/png;base64," + picture + "\">";
  if (step.ask.empty()) return html + "</section>";
  html += "<p class=\"ask\">" + markup_text(step.ask) + "</p>";
  if (step.choices.empty()) return html + "<p>" + kLine + "</p></section>";
  html += "<ol type=\"a\">";
  for (const std::string& choice : step.choices) html += "<li>" + markup_text(choice) + "</li>";
  return html + "</ol></section>";
}

bool has_questions(const Handout& handout) {
  for (const HandoutStep& step : handout.steps) {
    if (!step.ask.empty()) return true;
  }
  return false;
}

}  // namespace

std::string answer_file(const std::string& picture) {
  const std::filesystem::path file(picture);
  return file.stem().string() + "-answer" + file.extension().string();
}

std::string handout_markdown(const Handout& handout) {
  std::string text = "# " + markdown_text(handout.title) + "\n\n";
  if (!handout.source.empty()) text += markdown_text(handout.source) + "\n\n";
  const std::string folder = handout.folder.filename().string();
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    const HandoutStep& step = handout.steps[i];
    text += "## " + number_of(i) + "\n\n" + markdown_text(step.text) + "\n\n";
    if (!step.picture.empty())
      text += "![step " + number_of(i) + "](" + folder + "/" + step.picture + ")\n\n";
    if (step.ask.empty()) continue;
    text += "**" + markdown_text(step.ask) + "**\n\n";
    if (step.choices.empty()) text += std::string(kLine) + "\n\n";
    for (std::size_t c = 0; c < step.choices.size(); ++c)
      text += "- " + letter_of(c) + ") " + markdown_text(step.choices[c]) + "\n";
    if (!step.choices.empty()) text += "\n";
  }
  if (!has_questions(handout)) return text;
  text += "## Answers\n\n";
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    const HandoutStep& step = handout.steps[i];
    if (!step.ask.empty()) text += "- " + number_of(i) + ": " + markdown_text(step.answer) + "\n";
  }
  return text;
}

Result<std::string> handout_html(const Handout& handout) {
  std::string html =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>" +
      markup_text(handout.title) +
      "</title><style>body{font:16px/1.45 "
      "sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem;color:#1a1d23}"
      "section{break-inside:avoid;margin:0 0 2rem}h2{font-size:1rem;margin:.5rem 0}"
      "p{margin:.4rem 0}img{max-width:100%;border:1px solid #d5d9e0}.ask{font-weight:bold}"
      ".answers{break-before:page}</style><h1>" +
      markup_text(handout.title) + "</h1><p>" + markup_text(handout.source) + "</p>";
  constexpr std::int64_t kMostPngBytes = 256 << 20;  // far beyond what we render
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    std::string picture;
    if (const std::string& name = handout.steps[i].picture; !name.empty()) {
      const Result<std::string> png = read_input(handout.folder / name, kMostPngBytes);
      if (!png)
        return failure(ErrorKind::environment, "a picture cannot be read: " + png.error().what,
                       (handout.folder / name).string(), "check the folder's permissions");
      picture = base64(*png);
    }
    html += step_html(handout, i, std::move(picture));
  }
  if (has_questions(handout)) {
    html += "<section class=\"answers\"><h1>Answers</h1>";
    for (std::size_t i = 0; i < handout.steps.size(); ++i) {
      const HandoutStep& step = handout.steps[i];
      if (!step.ask.empty())
        html += "<p><b>" + number_of(i) + "</b> " + markup_text(step.answer) + "</p>";
    }
    html += "</section>";
  }
  return html + "</html>\n";
}

Result<void> check_handout(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".md" || ending == ".html") return {};
  if (ending != ".pdf")
    return failure(ErrorKind::usage, "“" + file.string() + "” is not a handout's file", "--handout",
                   "write a file that ends in .md, .html or .pdf");
  if (pdf_command("", "").empty()) return no_program();
  return {};
}

std::filesystem::path pictures_of(const std::filesystem::path& file) {
  std::filesystem::path folder = file;
  return folder.replace_extension("").string() + "-pictures";
}

Result<void> write_handout(const Handout& handout, const std::filesystem::path& file) {
  if (Result<void> good = check_handout(file); !good) return good;
  if (file.extension() == ".md") return write_file(file, handout_markdown(handout));
  const Result<std::string> html = handout_html(handout);
  if (!html) return tl::unexpected(html.error());
  if (file.extension() == ".html") return write_file(file, *html);
  std::error_code unknown;
  const std::filesystem::path page =
      std::filesystem::absolute(handout.folder, unknown) / "page.html";
  if (Result<void> written = write_file(page, *html); !written) return written;
  const std::filesystem::path pdf = std::filesystem::absolute(file, unknown);
  return run_converter(pdf_command(page.string(), pdf.string()));
}

}  // namespace warpscope
