package survey

import (
	"runtime"
	"sync"
)

// trials returns the results of trials, computed on all cores.
func trials(n int, run func(trial int) (float64, error)) ([]float64, error) {
	results, errs := make([]float64, n), make([]error, n)
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() {
			slots <- struct{}{}
			results[i], errs[i] = run(i)
			<-slots
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}
