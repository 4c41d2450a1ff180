// The golden sets: what each release wrote, and what it answered about it. scripts/golden makes
// them; README.md says what is in one.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

// The versions that have a set, in the order of their names.
std::vector<std::string> GoldenVersions();

// The path of a file of a set. One that is not there is a path, too.
std::string GoldenPath(const std::string& version, const std::string& file);

// Unpacks a .tar.gz of a set into a new directory, which it returns. Fails the test if it cannot.
std::string Unpack(const std::string& version,
                   const std::string& archive,
                   const std::string& directory);

// What a program says when it is asked a question, without what took how long.
struct GoldenAnswer {
  std::string question;  // a line of questions.txt
  std::string text;      // its output and "exit N\n"
};

// The transcript of a set's .txt file.
std::vector<GoldenAnswer> ReadTranscript(const std::string& version, const std::string& file);

// The lines of a set's file, or of another file; none if it is not there.
std::vector<std::string> LinesOf(const std::string& path);

// Asks the program the questions again, about the store in `directory`.
std::vector<GoldenAnswer> AskAgain(const std::vector<GoldenAnswer>& transcript,
                                   const std::string& directory);

// A question as the words of a command: blanks separate them, '...' holds them together.
std::vector<std::string> WordsOf(std::string_view question);

}  // namespace hourcell
