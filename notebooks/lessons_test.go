package notebooks

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/notebooks/notebooktest"
)

// What a lesson has at most. A lecturer has 45 minutes, and a student one idea an hour.
const (
	lessonCells   = 40
	lessonWords   = 2500 // in its text, without the code of solutions
	lessonFigures = 5
	lessonLines   = 20 // of code in a cell
	algorithm     = 30 // of code in the one cell that is the paper's algorithm
)

var (
	listing  = regexp.MustCompile(`(?s)<pre>.*?</pre>`)
	worked   = regexp.MustCompile(`(?s)<details><summary>(?:Hint|Solution|Wrong answers)</summary>.*?</details>`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	exercise = regexp.MustCompile(`(?m)^\s*exercises\.Check\(`)
)

// TestLessons counts what each lesson is made of.
func TestLessons(t *testing.T) {
	each(t, lessons(t), func(t *testing.T, path string) {
		cells := notebooktest.Cells(t, path)
		words, figures, exercises, long := 0, 0, 0, 0
		for i, c := range cells {
			if !c.Code {
				words += len(strings.Fields(tag.ReplaceAllString(listing.ReplaceAllString(c.Source, " "), " ")))
				continue
			}
			figures += strings.Count(c.Source, "charts.Show(")
			exercises += len(exercise.FindAllString(c.Source, -1))
			lines := 0
			for line := range strings.Lines(c.Source) {
				if text := strings.TrimSpace(line); text != "" && text != "%%" && !strings.HasPrefix(text, "//") {
					lines++
				}
			}
			imports := strings.HasPrefix(c.Source, "%noautoget")
			switch {
			case lines > algorithm && !imports:
				t.Errorf("cell %s (%d) has %d lines of code, want at most %d", c.ID, i, lines, algorithm)
			case lines > lessonLines && !imports:
				long++
			}
		}
		t.Logf("%d cells, %d words, %d figures, %d exercises", len(cells), words, figures, exercises)
		if len(cells) > lessonCells || words > lessonWords || figures > lessonFigures || exercises < 3 || exercises > 5 || long > 1 {
			t.Errorf("%d cells, %d words, %d figures, %d exercises and %d cells of more than %d lines; want at most %d, %d, %d, 3 to 5, and one, for the algorithm",
				len(cells), words, figures, exercises, long, lessonLines, lessonCells, lessonWords, lessonFigures)
		}
	})
}

var (
	script  = regexp.MustCompile(`(?s)<script.*?</script>|src="[^"]*"`)
	formula = regexp.MustCompile("(?s)\\$\\$.*?\\$\\$|`[^`]*`|\\]\\([^)]*\\)|arXiv:[0-9.]+")
	comma   = regexp.MustCompile(`([0-9])(?:,|_|\{,\})([0-9]{3})`)
	number  = regexp.MustCompile(`[0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?`)
	// stated is a number in a sentence of which one asks where it is from: it has a point or two
	// digits. A year, and what is a part of a name, an index or a power, is none.
	stated = regexp.MustCompile(`(?:^|[^\w.^_{§])([0-9]*\.[0-9]+|[0-9]{2,})(%|\\%)?`)
	named  = regexp.MustCompile(`[Ll]ines? \[?[0-9]+(?: (?:and|to) [0-9]+)?|(?:Theorem|Lemma|Proposition|Corollary|Definition|Equation|Remark|Table|Figure|Section|Algorithm|Claim|Line)s? \(?[0-9]+(?:\.[0-9]+)*`)
	year   = regexp.MustCompile(`^(?:19|20)[0-9]{2}$`)
)

// TestNumbers: each number of a lesson's text is in the lesson: a cell prints it, a caption or a
// table has it, or a cell's code sets it. Each number of the evidence is in the lesson or in
// evidence of it. It may be rounded in the text. What a solution computes by hand is left out, and
// so are numbers of theorems and of lines of code.
func TestNumbers(t *testing.T) {
	for _, lesson := range lessons(t) {
		var all []float64
		files := notebooktest.Files(t, lesson)
		for _, path := range files {
			all = append(all, shown(t, path)...)
		}
		for _, path := range files {
			there := all
			if path == lesson {
				there = shown(t, path)
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".ipynb"), func(t *testing.T) { numbers(t, path, there) })
		}
	}
}

// contents returns the cells of a notebook, with their outputs.
func contents(t *testing.T, path string) (cells []struct {
	ID      string
	Kind    string `json:"cell_type"`
	Source  []string
	Outputs []struct {
		Text []string
		Data struct {
			HTML  []string `json:"text/html"`
			Plain []string `json:"text/plain"`
		}
	}
}) {
	t.Helper()
	nb := struct{ Cells any }{&cells}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &nb)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// shown lists the numbers that a notebook's code sets and its outputs show.
func shown(t *testing.T, path string) (there []float64) {
	t.Helper()
	for _, c := range contents(t, path) {
		if c.Kind != "code" {
			continue
		}
		all := strings.Join(c.Source, "")
		for _, o := range c.Outputs {
			all += "\n" + strings.Join(o.Text, "") + "\n" + strings.Join(o.Data.Plain, "") + "\n" +
				html.UnescapeString(script.ReplaceAllString(strings.Join(o.Data.HTML, ""), ""))
		}
		for _, n := range number.FindAllString(plainNumbers(all), -1) {
			if v, err := strconv.ParseFloat(n, 64); err == nil {
				there = append(there, v)
			}
		}
	}
	return there
}

// numbers wants the numbers of a notebook's text in a list.
func numbers(t *testing.T, path string, there []float64) {
	count := 0
	for i, c := range contents(t, path) {
		if c.Kind != "markdown" || i == 0 { // the first says how many minutes the lesson takes
			continue
		}
		prose := formula.ReplaceAllString(worked.ReplaceAllString(strings.Join(c.Source, ""), " "), " ")
		for _, m := range stated.FindAllStringSubmatch(plainNumbers(named.ReplaceAllString(prose, " ")), -1) {
			if year.MatchString(m[1]) {
				continue
			}
			count++
			if !printed(m[1], m[2] != "", there) {
				t.Errorf("cell %s states %s%s, which no cell prints or sets", c.ID, m[1], m[2])
			}
		}
	}
	t.Logf("%d numbers in the text", count)
}

// plainNumbers takes the commas and underscores out of numbers.
func plainNumbers(text string) string {
	for comma.MatchString(text) {
		text = comma.ReplaceAllString(text, "$1$2")
	}
	return text
}

// printed reports whether a number of a text, maybe a percentage, is one of a list that was
// rounded.
func printed(text string, percent bool, there []float64) bool {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false
	}
	_, decimals, _ := strings.Cut(text, ".")
	half := 0.5000001 * math.Pow(10, -float64(len(decimals)))
	for _, v := range there {
		if math.Abs(v-want) <= half || percent && math.Abs(100*v-want) <= half {
			return true
		}
	}
	return false
}

// levels are percentages that a caption may name: of confidence, or of a band.
const levels = "95 99"

var (
	verb  = regexp.MustCompile(`%[-+# 0-9.]*(?:\[\d+\])?[a-zA-Z%]`)
	power = regexp.MustCompile(`10⁻[¹²³⁴⁵⁶⁷⁸⁹]`)
)

// small writes a negative power of ten, such as 10⁻⁶, as a decimal number.
func small(power string) string {
	digit := strings.Index("¹²³⁴⁵⁶⁷⁸⁹", strings.TrimPrefix(power, "10⁻"))
	n := len([]rune("¹²³⁴⁵⁶⁷⁸⁹"[:digit])) // of zeros behind the point
	return "0." + strings.Repeat("0", n) + "1"
}

// TestCaptions: each number in the fixed words of a figure's title, caption or alternative text is
// set by the notebook's code. A number that is a result is made from the run.
func TestCaptions(t *testing.T) {
	each(t, all(t), func(t *testing.T, path string) {
		var set []float64
		words := map[string][]string{} // by cell
		for _, c := range notebooktest.Cells(t, path) {
			if !c.Code {
				continue
			}
			ast.Inspect(parse(t, c), func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if key, ok := n.Key.(*ast.Ident); ok && says(key) {
						words[c.ID] = append(words[c.ID], literals(n.Value)...)
					}
				case *ast.AssignStmt:
					for i, left := range n.Lhs {
						if field, ok := left.(*ast.SelectorExpr); ok && says(field.Sel) {
							words[c.ID] = append(words[c.ID], literals(n.Rhs[min(i, len(n.Rhs)-1)])...)
						}
					}
				case *ast.BasicLit:
					if v, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64); err == nil {
						set = append(set, v)
					}
				}
				return true
			})
		}
		for id, list := range words {
			for _, text := range list {
				text := plainNumbers(verb.ReplaceAllString(power.ReplaceAllStringFunc(text, small), " "))
				for _, m := range stated.FindAllStringSubmatch(text, -1) {
					if !slices.Contains(strings.Fields(levels), m[1]) && !printed(m[1], m[2] != "", set) {
						t.Errorf("cell %s: the words %s have %s, which no variable gives", id, text, m[1])
					}
				}
			}
		}
		t.Logf("%d cells have words of figures", len(words))
	})
}

// says reports whether a field of a figure holds words.
func says(field *ast.Ident) bool {
	return slices.Contains([]string{"Title", "Caption", "Alt"}, field.Name)
}

// literals lists the texts in an expression. What cell.Finds chooses from is held by its check.
func literals(e ast.Expr) (texts []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			return !ok || f.Sel.Name != "Finds"
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				texts = append(texts, n.Value)
			}
		}
		return true
	})
	return texts
}

// TestPrinted: a number that is nowhere is found out, and one that is rounded is not.
func TestPrinted(t *testing.T) {
	there := []float64{0.7493, 1234567, 83.6}
	for _, c := range []struct {
		text    string
		percent bool
		want    bool
	}{
		{"0.749", false, true}, {".75", false, true}, {"75", true, true}, {"75", false, false}, {"1234567", false, true},
		{"84", false, true}, {"83.5", false, false}, {"0.75", true, true}, {"0.76", false, false},
	} {
		if got := printed(c.text, c.percent, there); got != c.want {
			t.Errorf("%s, a percentage: %v, is printed: %v, want %v", c.text, c.percent, got, c.want)
		}
	}
	if got := plainNumbers("1,234,567 and 1{,}000, 20_000"); got != "1234567 and 1000, 20000" {
		t.Errorf("without commas: %q", got)
	}
	if got := small("10⁻⁶"); got != "0.000001" {
		t.Errorf("10⁻⁶ is %s", got)
	}
	if m := stated.FindStringSubmatch("in Section 7 of 2018, $x_{12}$ falls to 12.5\\% of it"); len(m) == 0 {
		t.Error("no number is stated")
	}
}
