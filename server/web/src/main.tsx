import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app/app';
import { startTheme } from './ui/theme';

startTheme();
render(<App />, document.getElementById('app')!);
