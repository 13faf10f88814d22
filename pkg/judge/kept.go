package judge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/external"
	"github.com/dpbandits/dpbandits/pkg/internal/durable"
	"github.com/dpbandits/dpbandits/pkg/simulate"
)

// newKey returns what tells cards apart that Options.Dir keeps trials and attacks of.
func (j *judging) newKey() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %v %d", j.card.Learner, j.card.Source, j.Version, j.Scale, j.Seed)
	if p, ok := j.learner.(external.Program); ok {
		for _, word := range p.Command { // a script that has changed is another program
			info, err := os.Stat(word)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if file, err := os.ReadFile(word); err == nil {
				fmt.Fprintf(sum, " %x", sha256.Sum256(file))
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:4])
}

// kept returns the file of Options.Dir that keeps an attack, named by all that its result depends
// on; "" if none does.
func (j *judging) kept(name string, o audit.Options) string {
	build := simulate.Build()
	if j.Dir == "" || build == "" || j.card.Source == "" && j.Version == "" {
		return ""
	}
	text, err := json.Marshal([]any{build, j.key, name, o.Confidence})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return filepath.Join(j.Dir, fmt.Sprintf("attack-%x.json", sum[:8]))
}

// recall returns the attack that a file keeps. A file that is not there, or is damaged, has none.
func recall(file, name string) (a Attack, ok bool) {
	text, err := os.ReadFile(file)
	return a, err == nil && json.Unmarshal(text, &a) == nil && a.Name == name
}

// remember keeps an attack in a file.
func (a Attack) remember(file string) error {
	text, err := json.Marshal(a)
	if err == nil {
		err = durable.WriteFile(file, text)
	}
	if err != nil {
		return fmt.Errorf("judge: Options.Dir: %w", err)
	}
	return nil
}
