// tests/workbench/lessons/handout_test.cpp: a lesson on paper, and what makes a PDF of it.
#include "workbench/lessons/handout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// A folder of one test, removed at its end.
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() / ("handout-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  void write(const std::string& name, const std::string& text, bool runs = false) const {
    std::ofstream(path / name) << text;
    if (runs) ::chmod((path / name).c_str(), 0755);
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
  std::filesystem::path path;
};

// $PATH is this for the life of the object.
struct Path {
  explicit Path(const std::string& value) : before(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() { ::setenv("PATH", before.c_str(), 1); }
  std::string before;
};

Handout sample(const Folder& folder) {
  const std::filesystem::path pictures = folder.path / "a-pictures";
  std::filesystem::create_directories(pictures);
  std::ofstream(pictures / "1.png") << "not really a picture";
  return {"Banks & lines",
          "Figures of a session.",
          pictures,
          {{"First <text>.", "1.png", "", {}, ""},
           {"Second.", "", "How many?", {}, "Answer: 32. Because."},
           {"Third.", "", "Which one?", {"this", "that"}, "Answer: that. So."}}};
}

TEST(Handout, MarkdownHasPicturesAndQuestionsAndTheAnswersAtTheEnd) {
  const Folder folder;
  const std::string text = handout_markdown(sample(folder));
  EXPECT_THAT(text, HasSubstr("](a-pictures/1.png)"));
  EXPECT_THAT(text, HasSubstr("How many?"));
  EXPECT_THAT(text, HasSubstr("- a) this\n- b) that\n"));
  const std::size_t answers = text.find("## Answers");
  ASSERT_NE(answers, std::string::npos);
  EXPECT_GT(text.find("Answer: 32"), answers);
  EXPECT_GT(text.find("Answer: that"), answers);
  EXPECT_LT(text.find("Which one?"), answers);
}

TEST(Handout, ALessonWithoutQuestionsHasNoAnswers) {
  const Folder folder;
  Handout handout = sample(folder);
  handout.steps.resize(1);
  EXPECT_THAT(handout_markdown(handout), Not(HasSubstr("Answers")));
  EXPECT_THAT(handout_html(handout).value(), Not(HasSubstr("<h1>Answers")));
}

TEST(Handout, ThePageHoldsItsPicturesAndNoMarkupOfTheTexts) {
  const Folder folder;
  const Result<std::string> html = handout_html(sample(folder));
  ASSERT_TRUE(html) << sentence(html.error());
  EXPECT_THAT(*html, HasSubstr("src=\"data:image/png;base64,bm90IHJlYWxseSBhIHBpY3R1cmU=\""));
  EXPECT_THAT(*html, HasSubstr("First &lt;text&gt;."));
  EXPECT_THAT(*html, HasSubstr("<li>that</li>"));
  EXPECT_GT(html->find("Answer: 32"), html->find("<h1>Answers"));
  const Handout handout = sample(folder);
  std::filesystem::remove(handout.folder / "1.png");
  const Result<std::string> broken = handout_html(handout);
  ASSERT_FALSE(broken);
  EXPECT_THAT(sentence(broken.error()), HasSubstr("1.png"));
}

TEST(Handout, AnotherEndingIsRefusedWithThoseThatThereAre) {
  const Result<void> checked = check_handout("lesson.docx");
  ASSERT_FALSE(checked);
  EXPECT_EQ(exit_status(checked.error().kind), 2);
  EXPECT_THAT(sentence(checked.error()), HasSubstr(".md, .html or .pdf"));
}

TEST(Handout, WithoutAProgramThatMakesAPdfTheSentenceNamesOne) {
  const Folder folder;
  const Path empty(folder.path.string());
  EXPECT_TRUE(check_handout("a.md"));
  EXPECT_TRUE(check_handout("a.html"));
  const Result<void> checked = check_handout("a.pdf");
  ASSERT_FALSE(checked);
  EXPECT_EQ(exit_status(checked.error().kind), 3);
  EXPECT_THAT(sentence(checked.error()), HasSubstr("install weasyprint or chromium"));
}

TEST(Handout, ThePdfIsMadeOfThePageByTheProgramThatIsThere) {
  const Folder folder;
  folder.write("weasyprint", "#!/bin/sh\n/bin/cp \"$1\" \"$2\"\n", true);
  const Path path(folder.path.string());
  const Result<void> written = write_handout(sample(folder), folder.path / "a.pdf");
  ASSERT_TRUE(written) << sentence(written.error());
  EXPECT_THAT(folder.read("a.pdf"), HasSubstr("Which one?"));
}

TEST(Handout, AProgramThatFailsIsQuoted) {
  const Folder folder;
  folder.write("weasyprint", "#!/bin/sh\necho no fonts here >&2\nexit 4\n", true);
  const Path path(folder.path.string());
  const Result<void> written = write_handout(sample(folder), folder.path / "a.pdf");
  ASSERT_FALSE(written);
  EXPECT_EQ(exit_status(written.error().kind), 3);
  EXPECT_THAT(sentence(written.error()), HasSubstr("no fonts here"));
}

}  // namespace
}  // namespace warpscope
