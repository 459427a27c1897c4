// Draws the scores that the page brings along; it computes none.
(() => {
  const data = JSON.parse(document.getElementById("play-data").textContent);
  const slider = document.getElementById("play-stop");
  const label = document.getElementById("play-label");
  const width = 180, height = 60, pad = 6;

  function curve(scores, low, high) {
    const x = (cut) => pad + (cut / (scores.length - 1)) * (width - 2 * pad);
    const y = (score) => height - pad - ((score - low) / (high - low || 1)) * (height - 2 * pad);
    const best = scores.indexOf(Math.max(...scores));
    const points = scores.map((score, cut) => `${x(cut).toFixed(1)},${y(score).toFixed(1)}`).join(" ");
    const zero = low < 0 ? `<line x1="${pad}" x2="${width - pad}" y1="${y(0)}" y2="${y(0)}" stroke="currentColor" stroke-opacity=".3"/>` : "";
    return [best, `<svg width="${width}" height="${height}" role="img" aria-label="best cut after rank ${best}">${zero}` +
      `<polyline points="${points}" fill="none" stroke="currentColor" stroke-width="1.5"/>` +
      `<circle cx="${x(best)}" cy="${y(scores[best])}" r="4" fill="#d55e00"/></svg>`];
  }

  function draw() {
    const name = document.querySelector("input[name=play-measure]:checked").value;
    const measure = data.measures[name];
    const stop = Math.min(slider.value, measure.stops.length - 1);
    label.textContent = `${measure.parameter} = ${measure.stops[stop]} (${measure.meaning})`;
    const all = measure.scores[stop].flat();
    const low = Math.min(0, ...all), high = Math.max(...all);
    document.querySelectorAll("#play tbody tr").forEach((row, list) => {
      const scores = measure.scores[stop][list];
      const [best, picture] = curve(scores, low, high);
      row.querySelector(".play-curve").innerHTML = picture;
      row.querySelector(".play-best").textContent = `best cut: ${best} ${best === 1 ? "document" : "documents"}: ${scores[best].toFixed(2)}`;
    });
  }

  function choose() {
    const name = document.querySelector("input[name=play-measure]:checked").value;
    slider.max = data.measures[name].stops.length - 1;
    slider.value = data.measures[name].start;
    draw();
  }

  slider.addEventListener("input", draw);
  document.querySelectorAll("input[name=play-measure]").forEach((radio) => radio.addEventListener("change", choose));
  choose();
})();
