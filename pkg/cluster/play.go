package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/sweep"
)

// Element is what the engine deals out: the trials [From, To) of a point of the sweep.
type Element struct{ Number, Point, From, To int }

func init() {
	beam.RegisterType(reflect.TypeFor[Element]())
	register.Emitter1[Element]()
	register.DoFn3x1[context.Context, []byte, func(Element), error]((*dealer)(nil))
	register.DoFn2x0[Element, func(Element)]((*part)(nil))
	register.DoFn3x1[context.Context, Element, func(Element), error]((*player)(nil))
	register.DoFn1x0[Element]((*end)(nil))
}

// job is what a worker must know of the run. Beam sends its exported fields.
type job struct {
	Args []string // the sweep's
	Dir  string   // of its records
	Log  string   // Options.Log
}

// dealer makes the list of elements.
type dealer struct {
	job
	Time  time.Duration // that an element should take
	Least int           // elements, if there are as many trials
}

// ProcessElement plays a trial, unless a record tells what it took, to know how long an element
// takes.
func (d *dealer) ProcessElement(ctx context.Context, _ []byte, emit func(Element)) error {
	s, err := d.sweep()
	if err != nil {
		return err
	}
	total := 0.
	for _, p := range s.Points {
		total += float64(p.Trials) * work(p)
	}
	speed, err := d.speed(ctx, s)
	if err != nil {
		return err
	}
	each := min(speed*d.Time.Seconds(), total/float64(d.Least))
	number := 0
	for k, p := range s.Points {
		trials := max(1, int(min(each/work(p), float64(p.Trials))))
		for from := 0; from < p.Trials; from += trials {
			emit(Element{number, k, from, min(from+trials, p.Trials)})
			number++
		}
	}
	return nil
}

// work is the size of a trial: the rounds that its policies play.
func work(p sweep.Point) float64 {
	rounds := p.Rounds
	if rounds == 0 {
		rounds = p.Horizon
	}
	return float64(rounds) * float64(len(p.Policies))
}

// speed returns the work per second of the first trial, 0 if that takes longer than an element
// should, or fails.
func (d *dealer) speed(ctx context.Context, s *sweep.Sweep) (float64, error) {
	limited, cancel := context.WithTimeout(ctx, d.Time)
	defer cancel()
	rec, err := d.play(limited, 0, 0)
	var failure *simulate.TrialError
	switch {
	case err == nil:
		return work(s.Points[0]) / rec.Busy.Seconds(), nil
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded), errors.As(err, &failure):
		return 0, nil
	}
	return 0, err
}

// part keeps every Of-th element.
type part struct{ Index, Of int }

// ProcessElement keeps the element, or does not.
func (p *part) ProcessElement(e Element, emit func(Element)) {
	if e.Number%p.Of == p.Index {
		emit(e)
	}
}

// player plays trials.
type player struct{ job }

// ProcessElement plays the trials of an element that have no record. A trial that fails is recorded
// as failed. Any other error, such as a full disk, fails the bundle, and the engine tries it again.
func (p *player) ProcessElement(ctx context.Context, e Element, emit func(Element)) error {
	for trial := e.From; trial < e.To; trial++ {
		var failure *simulate.TrialError
		if _, err := p.play(ctx, e.Point, trial); err != nil && !errors.As(err, &failure) {
			return err
		}
	}
	emit(e)
	return nil
}

// end takes the elements that are done.
type end struct{}

// ProcessElement does nothing.
func (*end) ProcessElement(Element) {}

// cores bounds the trials that a process plays at the same time: Prism runs more bundles than that.
var cores = make(chan struct{}, runtime.GOMAXPROCS(0))

// play returns the record of a trial, which it plays if there is none.
func (j *job) play(ctx context.Context, point, trial int) (*simulate.Record, error) {
	store, err := j.store(point)
	if err != nil {
		return nil, err
	}
	select {
	case cores <- struct{}{}:
		defer func() { <-cores }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	rec, restored, err := store.RunTrial(ctx, trial)
	if err == nil && !restored && j.Log != "" {
		err = j.log(point, trial)
	}
	return rec, err
}

func (j *job) log(point, trial int) error {
	f, err := os.OpenFile(j.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %d %d\n", point, trial, os.Getpid())
	return errors.Join(err, f.Close())
}
