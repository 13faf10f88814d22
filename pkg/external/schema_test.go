package external

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// forms returns the schema of a definition of schema.json, "" for the whole.
func forms(t *testing.T, definition string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole jsonschema.Schema
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	if definition != "" {
		whole.OneOf = []*jsonschema.Schema{{Ref: "#/$defs/" + definition}}
	}
	resolved, err := whole.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// check validates a line.
func check(form *jsonschema.Resolved, line []byte) error {
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	return form.Validate(v)
}

// TestTraffic: all that is said, by both sides, has the form of schema.json.
func TestTraffic(t *testing.T) {
	form := forms(t, "")
	for _, options := range [][]string{{"linucb"}, {"linucb", "packed"}, {"tree", "release", `claim={"epsilon":1,"delta":1e-6,"model":"joint"}`}} {
		log := filepath.Join(t.TempDir(), "log")
		l, err := self("serve", append(options, "log="+log)...).Open(small, 10)
		if err != nil {
			t.Fatal(err)
		}
		own := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 15)
		for run := range 3 {
			r := l.Start(own, rand.NewPCG(3, 4))
			v := bandit.View{Arms: 5, Dim: 3, X: x}
			for v.Round = 1; v.Round <= 6; v.Round++ {
				if v.Same = v.Round%3 == 0; !v.Same {
					for i := range x {
						x[i] = []float64{own.NormFloat64(), 0, -1e-300, 1e300, 5e-324}[own.IntN(5)]
					}
				}
				arms, err := r.Select(&v, nil)
				if err != nil {
					t.Fatal(err)
				}
				if v.Round != 4 {
					if err := r.Update(&v, arms, []float64{1e-7}); err != nil {
						t.Fatal(err)
					}
				}
				if v.Round == 5 {
					r.(interface{ Release() []float64 }).Release()
				}
			}
			if run == 1 {
				if _, err := r.Select(&bandit.View{Round: 0}, nil); err == nil {
					t.Error("round 0: no error")
				}
			}
			if err := bandit.Close(r); err != nil {
				t.Fatal(err)
			}
		}
		bandit.Close(l)
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		lines, seen := 0, map[string]bool{}
		for line := range bytes.Lines(text) {
			if err := check(form, line); err != nil {
				t.Errorf("%v: %s", err, line)
			}
			var a ask
			_ = json.Unmarshal(line, &a)
			seen[a.Type] = true
			lines++
		}
		if want := 2 * (1 + 3*(1+6+1+1)); lines != want {
			t.Errorf("%d lines, want %d", lines, want)
		}
		for _, kind := range []string{"open", "start", "round", "update", "end"} {
			if !seen[kind] {
				t.Errorf("no message %q", kind)
			}
		}
	}
}

// TestSchemaIsStrict: the schema and the reader take and refuse the same answers.
func TestSchemaIsStrict(t *testing.T) {
	answers := []string{`{}`, `{"arms":[]}`, `{"arms":[0]}`, `{"arms":[1,2,3]}`, ` { "arms" : [ 1 , 2 ] , "release" : [ ] } `, `{"release":[1.5,-2e-7,0],"arms":[7]}`,
		`{"release":[-0.0,1E5]}`, `{"arms":[0.5]}`, `{"arms":["0"]}`, `{"arms":0}`, `{"arms":null}`, `{"arms":[null]}`, `{"release":[true]}`,
		`{"release":{}}`, `{"arm":[0]}`, `[]`, `0`, `"arms"`, `null`, `{"arms":[0],"release":[1],"more":1}`}
	form := forms(t, "answer")
	for _, text := range answers {
		var a answer
		mine, theirs := a.read([]byte(text)), check(form, []byte(text))
		if (mine == nil) != (theirs == nil) {
			t.Errorf("%s: the reader says %v, the schema %v", text, mine, theirs)
		}
	}
	form = forms(t, "ready")
	for _, text := range []string{
		`{"protocol":1,"name":"mine"}`, `{"protocol":1,"name":"mine","contexts":"packed","warm_up":true,"claim":{"epsilon":1,"model":"joint"}}`,
		`{"protocol":1,"name":"mine","claim":null}`, `{"protocol":2,"name":"mine"}`, `{"protocol":1}`, `{"name":"mine"}`, `{"protocol":1,"name":""}`,
		`{"protocol":1,"name":"two\nlines"}`, `{"protocol":1,"name":7}`, `{"protocol":1,"name":"mine","contexts":"zip"}`, `{"protocol":1,"name":"mine","contexts":null}`,
		`{"protocol":1,"name":"mine","warm_up":1}`, `{"protocol":1,"name":"mine","claim":{}}`, `{"protocol":1,"name":"mine","claim":{"epsilon":-1,"model":"joint"}}`,
		`{"protocol":1,"name":"mine","claim":{"epsilon":1,"model":"none"}}`, `{"protocol":1,"name":"mine","claim":{"epsilon":1,"delta":1,"model":"joint"}}`,
		`{"protocol":1,"name":"mine","horizon":1}`,
	} {
		_, mine := readReady([]byte(text))
		if theirs := check(form, []byte(text)); (mine == nil) != (theirs == nil) {
			t.Errorf("%s: the reader says %v, the schema %v", text, mine, theirs)
		}
	}
}

// TestProtocolPage: the lines of PROTOCOL.md have the form of the schema.
func TestProtocolPage(t *testing.T) {
	page, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	form := forms(t, "")
	lines := regexp.MustCompile(`(?m)^    (\{.*\})$`).FindAllSubmatch(page, -1)
	if len(lines) < 10 {
		t.Errorf("%d lines of JSON on the page", len(lines))
	}
	for _, m := range lines {
		if err := check(form, m[1]); err != nil {
			t.Errorf("%v: %s", err, m[1])
		}
	}
	if n := strings.Count(string(page), "\n"); n > 120 {
		t.Errorf("PROTOCOL.md has %d lines: it is to stay a page", n)
	}
}

// FuzzAnswer: what the quick way takes, the careful one takes as the same.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{`{}`, `{"arms":[1,20]}`, `{"arms":[0],"release":[1.25,-3e8,0]}`, `{"release":[],"arms":[]}`, `{"arms":[01]}`, `{"arms":[-1]}`,
		`{"arms":[1],}`, `{,"arms":[1]}`, `{"arms":[1,]}`, `{"arms":[1.0]}`, `{"release":[.5]}`, `{"release":[1.]}`, `{"release":[1e]}`, `{"release":[0x1p3]}`, `{"release":[1_0]}`, ` {"arms" :[ 1]}x`, ` `, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var quick, careful answer
		if !quick.quick(line) {
			return
		}
		fields, err := object(line, "arms", "release")
		if err != nil {
			t.Fatalf("%q: the quick way takes it, the careful one says %v", line, err)
		}
		if err := careful.fill(fields); err != nil {
			t.Fatalf("%q: the quick way takes it, the careful one says %v", line, err)
		}
		a, _ := json.Marshal([]any{quick.arms, quick.release, quick.hasArms, quick.released})
		b, _ := json.Marshal([]any{careful.arms, careful.release, careful.hasArms, careful.released})
		if !bytes.Equal(bytes.ReplaceAll(a, []byte("null"), []byte("[]")), bytes.ReplaceAll(b, []byte("null"), []byte("[]"))) {
			t.Fatalf("%q: %s the quick way, and %s", line, a, b)
		}
	})
}
